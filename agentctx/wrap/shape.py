"""One way to look into, copy and add up what SDKs return: dicts and pydantic objects alike."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

_NOT_SENT = frozenset({"NotGiven", "Omit"})
"""The SDKs' marks for an argument that was not passed."""


def field(value: Any, *names: str | int) -> Any:
    """Return what lies at the end of `names`, keys or attributes; None when there is nothing."""
    for name in names:
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(name, int):
            value = value[name] if isinstance(value, list) and len(value) > name else None
        else:
            value = getattr(value, name, None)
        if value is None:
            return None
    return value


def put(value: Any, **changes: Any) -> Any:
    """Return a copy of `value` with these fields changed."""
    if isinstance(value, Mapping):
        return {**value, **changes}
    if hasattr(value, "model_copy"):
        return value.model_copy(update=changes)
    twin = copy.copy(value)
    for name, change in changes.items():
        setattr(twin, name, change)
    return twin


def plain(value: Any) -> Any:
    """Return `value` as its SDK would send it, in dicts and lists; itself when it is that already.

    Fields that were not set, and those that the SDK never sends, are left out.
    """
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, list | tuple):
        items = [plain(item) for item in value]
        same = isinstance(value, list) and all(
            one is other for one, other in zip(value, items, strict=True)
        )
        return value if same else items
    if hasattr(value, "model_fields_set"):
        return {name: plain(field) for name, field in _fields(value).items() if _sent(field)}
    return value


def added(one: Any, other: Any) -> Any:
    """Return the sum of two usage reports, number by number, in the shape of `other`."""
    if one is None or other is None:
        return one if other is None else other
    if isinstance(other, bool | str) or isinstance(one, bool | str):
        return other
    if isinstance(other, int | float) and isinstance(one, int | float):
        return one + other
    if not isinstance(other, Mapping) and not hasattr(other, "model_fields_set"):
        return other
    names = dict.fromkeys((*_fields(one), *_fields(other)))
    return put(other, **{name: added(field(one, name), field(other, name)) for name in names})


def _plain_mapping(value: Mapping[str, Any]) -> Mapping[str, Any]:
    made = {name: plain(inner) for name, inner in value.items() if _sent(inner)}
    same = len(made) == len(value) and all(made[name] is value[name] for name in made)
    return value if same and isinstance(value, dict) else made


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields that were set, by the names that travel."""
    if isinstance(value, Mapping):
        return dict(value)
    hidden = getattr(value, "__api_exclude__", None) or ()
    known = type(value).model_fields
    told = {**vars(value), **(getattr(value, "__pydantic_extra__", None) or {})}
    return {  # in the order in which its SDK writes them
        (known[name].alias or name) if name in known else name: inner
        for name, inner in told.items()
        if name in value.model_fields_set and name not in hidden
    }


def _sent(value: Any) -> bool:
    return type(value).__name__ not in _NOT_SENT
