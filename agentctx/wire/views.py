"""Tolerant views of what callers pass: dicts, SDK objects, and things that are neither."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from agentctx.errors import WireError
from agentctx.values import content_id

Block: TypeAlias = Mapping[str, Any]

_SAMPLE: Final = 96
_DEPTH: Final = 8
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False).encode
_MARKERS: Final = frozenset({"cache_control", "prompt_cache_breakpoint"})


def view(value: Any) -> Block | None:
    """Return `value` as a mapping: itself, or what an SDK's model dumps; None for anything else."""
    if isinstance(value, (dict, Mapping)):  # dict first: the abstract class is slow to ask
        return value
    dump = getattr(value, "model_dump", None)
    if dump is None or isinstance(value, type):
        return None
    try:
        dumped = dump(warnings=False)
    except Exception:  # a stranger's method: whatever it raises, the object is only opaque to us
        return None
    return dumped if isinstance(dumped, Mapping) else None


def part_text(part: Any, types: frozenset[str]) -> str | None:
    """Return the text of a part of one of these types, else None."""
    block = view(part)
    if block is None or string(block.get("type")) not in types:
        return None
    text = block.get("text")
    return text if isinstance(text, str) else None


def type_of(part: Any) -> str:
    """Return the `type` of a part, block or item; "" when it has none."""
    block = view(part)
    return string(block.get("type")) if block is not None else ""


def string(value: Any) -> str:
    """Return `value` if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def sequence(value: Any) -> Sequence[Any]:
    """Return `value` if it is a list or tuple, else an empty one."""
    return value if isinstance(value, (list, tuple)) else ()


def parse(raw: Any) -> Mapping[str, Any] | None:
    """Return a call's arguments as a mapping; None when they cannot be read as one."""
    if isinstance(raw, Mapping):
        return raw
    if not isinstance(raw, str):
        return None
    if not raw.strip():
        return {}
    try:
        parsed = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def dump(value: Any) -> str:
    """Return `value` as JSON, or "" when it has none."""
    try:
        return _ENCODE(value)
    except (TypeError, ValueError, RecursionError):
        return ""


def history(payload: Any, key: str) -> Sequence[Any]:
    """Return the list of messages under `key`.

    Raises:
        WireError: `payload` is no dict, or holds no list there.
    """
    body = require(payload)
    found = body.get(key)
    if not isinstance(found, (list, tuple)):
        raise WireError(f"{key!r} is {_kind(found)}: pass the messages as a list")
    return found


def require(payload: Any) -> dict[str, Any]:
    """Return `payload` if it is a request body.

    Raises:
        WireError: it is none.
    """
    if not isinstance(payload, dict):
        raise WireError(f"the payload is {_kind(payload)}: pass the request body as a dict")
    return payload


def instructions(payload: Any, key: str) -> Any:
    """Return the text or parts under `key`; None when nothing (or an SDK's "not given") is there.

    Raises:
        WireError: something else is there.
    """
    found = require(payload).get(key)
    if not found:
        return None
    if not isinstance(found, (str, list, tuple)):
        raise WireError(f"{key!r} is {_kind(found)}: pass a string or a list of text parts")
    return found


def label(value: Any) -> str:
    """Name what cannot be read: its type, and a digest that ignores cache markers."""
    block = view(value)
    kind = block.get("type") or block.get("role") if block else None
    name = kind if isinstance(kind, str) else type(value).__name__
    return f"[{name} {content_id(_sample(block if block else value))[:8]}]"


def _sample(value: Any, depth: int = 0) -> str:
    """Return enough of `value` to tell it from another, in time independent of its size."""
    if isinstance(value, str):
        middle = len(value) // 2
        parts = (value[:_SAMPLE], value[middle : middle + _SAMPLE], value[-_SAMPLE:])
        return f"{len(value)}:{'|'.join(parts)}"
    if depth < _DEPTH and isinstance(value, Mapping):
        keys = sorted(key for key in value if isinstance(key, str) and key not in _MARKERS)
        return "".join(f"{key}={_sample(value[key], depth + 1)};" for key in keys)
    if depth < _DEPTH and isinstance(value, (list, tuple)):
        return "".join(f"{_sample(item, depth + 1)}," for item in value)
    return repr(value) if isinstance(value, int | float) else type(value).__name__


def _kind(value: Any) -> str:
    return "missing" if value is None else f"of type {type(value).__name__}"
