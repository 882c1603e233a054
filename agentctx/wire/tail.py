"""Write a text after what the user said in a message: copies along the path, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from agentctx.errors import WireError
from agentctx.values import Path, Payload, Text
from agentctx.wire.edit import Encode, show
from agentctx.wire.views import string, view

BETWEEN: Final = "\n\n"
"""What stands between the user's words and ours where a message is one string."""


def append(payload: Payload, path: Path, text: str, *, encode: Encode, instead: str) -> Payload:
    """Return `payload` with `text` after the words of the user whose slot is at `path`.

    Where they are a string, the string is longer by a paragraph; where they are parts, there is
    one more.

    Args:
        payload: A request body; it is never changed.
        path: Where the slot stands: a string, or one of several parts.
        text: What to add; nothing when it is empty.
        encode: The wire's spelling of a part.
        instead: What was added before and goes; nothing when it is empty.

    Raises:
        WireError: something on the way is no dict or list.
    """
    place = path[:-1] if isinstance(path[-1], int) else path

    def longer(content: Any) -> Any:
        if isinstance(content, str):
            return _joined(content, text, instead)
        if isinstance(content, (list, tuple)):
            return _parts(content, text, encode, instead)
        raise WireError(f"{show(place)} holds no text: nothing can be added")

    made: Payload = _changed(payload, place, longer, place)
    return made


def without(text: str, ours: str) -> str:
    """Return a string of the user's as it was before `ours` was added to it."""
    return text.removesuffix(f"{BETWEEN}{ours}") if ours else text


def _joined(content: str, text: str, instead: str) -> str:
    bare = without(content, instead)
    return f"{bare}{BETWEEN}{text}" if text else bare


def _parts(
    content: Sequence[Any], text: str, encode: Encode, instead: str
) -> list[Any] | tuple[Any, ...]:
    kept = [part for part in content if not instead or _text(part) != instead]
    made = [*kept, encode(Text(text))] if text else kept
    return made if isinstance(content, list) else tuple(made)


def _text(part: Any) -> str:
    return string((view(part) or {}).get("text"))


def _changed(node: Any, path: Path, change: Callable[[Any], Any], whole: Path) -> Any:
    if not path:
        return change(node)
    key, *rest = path
    if isinstance(node, dict):
        return {**node, key: _changed(node[key], tuple(rest), change, whole)}
    if isinstance(node, (list, tuple)) and isinstance(key, int):
        items = list(node)
        items[key] = _changed(items[key], tuple(rest), change, whole)
        return items if isinstance(node, list) else tuple(items)
    raise WireError(f"{show(whole)} lies in an object of an SDK: pass it as a dict")
