"""Write edits into a payload: copies along the edited paths, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from agentctx.errors import WireError
from agentctx.values import Edit, Image, Kind, Path, Payload, Slot, Text

Parts: TypeAlias = tuple[Text | Image, ...]
Encode: TypeAlias = Callable[[Text | Image], dict[str, Any]]
"""A part as the wire spells it."""

Tree: TypeAlias = dict[str | int, Any]


def write(
    payload: Payload,
    edits: Sequence[Edit],
    *,
    read: Callable[[Payload], tuple[Slot, ...]],
    encode: Encode,
    admit: Callable[[Payload, Slot, Parts], str],
) -> Payload:
    """Return `payload` with the edited observations replaced; itself when nothing changes.

    Args:
        payload: A request body; it is never changed.
        edits: At most one for each place.
        read: The wire's reader.
        encode: The wire's spelling of a part.
        admit: Says why the wire has no room for those parts at that slot, or "".

    Raises:
        WireError: an edit that is empty, doubled, or not of an observation.
    """
    if not edits:
        return payload
    places = {slot.path: slot for slot in read(payload)}
    changes: dict[Path, Parts] = {}
    for edit in edits:
        slot = _place(places, edit)
        if edit.path in changes:
            raise WireError(f"{show(edit.path)} is edited twice: merge the two edits")
        reason = admit(payload, slot, edit.parts)
        if reason:
            raise WireError(f"{show(edit.path)} cannot be edited so: {reason}")
        changes[edit.path] = edit.parts
    wanted = {path: parts for path, parts in changes.items() if not _same(places[path], parts)}
    return _rebuild(payload, _tree(wanted), encode) if wanted else payload


def text_only(parts: Parts) -> bool:
    """Say whether no part is an image."""
    return all(isinstance(part, Text) for part in parts)


def show(path: Path) -> str:
    """Return a path as one would write it in code."""
    return "payload" + "".join(f"[{key!r}]" for key in path)


def _place(places: Mapping[Path, Slot], edit: Edit) -> Slot:
    slot = places.get(edit.path)
    if slot is None:
        raise WireError(f"{show(edit.path)} does not exist: take the path from read()")
    if slot.kind is not Kind.OBSERVATION:
        raise WireError(
            f"{show(edit.path)} is {slot.kind.value!r}: only an observation may be edited"
        )
    if not edit.parts or any(isinstance(part, Text) and _blank(part) for part in edit.parts):
        raise WireError(f"{show(edit.path)} would become empty: give it text")
    return slot


def _blank(part: Text) -> bool:
    return not part.text or part.text.isspace()


def _same(slot: Slot, parts: Parts) -> bool:
    return parts == (Text(slot.text),)


def _tree(changes: Mapping[Path, Parts]) -> Tree:
    root: Tree = {}
    for path, parts in changes.items():
        node = root
        for key in path[:-1]:
            node = node.setdefault(key, {})
        node[path[-1]] = parts
    return root


def _rebuild(node: Any, tree: Tree, encode: Encode) -> Any:
    """Copy `node` with the leaves of `tree` replaced; siblings stay the same objects."""
    if isinstance(node, dict):
        copy = dict(node)
        for key, change in tree.items():
            copy[key] = (
                _rebuild(node[key], change, encode)
                if isinstance(change, dict)
                else _string(change, encode)
            )
        return copy
    items: list[Any] = []
    for index, child in enumerate(node):
        change = tree.get(index)
        if change is None:
            items.append(child)
        elif isinstance(change, dict):
            items.append(_rebuild(child, change, encode))
        else:
            items.extend(_pieces(child, change, encode))
    return items if isinstance(node, list) else tuple(items)


def _string(parts: Parts, encode: Encode) -> str | list[dict[str, Any]]:
    first = parts[0]
    if len(parts) == 1 and isinstance(first, Text):
        return first.text
    return [encode(part) for part in parts]


def _pieces(old: dict[str, Any], parts: Parts, encode: Encode) -> list[dict[str, Any]]:
    """Return the parts that replace the text part `old`.

    A cache marker ends a prefix, so it and the other fields go with the last piece.
    """
    *before, last = parts
    if isinstance(last, Text):
        ending = {**old, "text": last.text}
    else:
        extra = {key: value for key, value in old.items() if key not in ("type", "text")}
        ending = {**encode(last), **extra}
    return [*(encode(part) for part in before), ending]
