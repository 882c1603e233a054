"""Where an answer of recall ended: a short text that the next request hands back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agentctx.errors import ToolError
from agentctx.memory.ids import ID

_LETTERS = {"status": "s", "branch": "b", "commit": "c", "log": "l", "metadata": "m", "search": "q"}
_NEWER = "n"
_CURSOR = re.compile(rf"([a-z])({ID.pattern})?(?:\.(\d{{1,9}}))?(?:\.(\d{{1,9}}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Point:
    """The place before character `char` of line `line` (both from 0) of the passage `key`."""

    key: str = ""
    line: int = 0
    char: int = 0


def write(level: str, point: Point, *, newer: bool = False) -> str:
    """Return the cursor that leads to a point; `newer` is for going on in a log towards its end."""
    numbers = "".join(f".{n}" for n in (point.line, point.char)) if point.line or point.char else ""
    return f"{_NEWER if newer else _LETTERS[level]}{point.key}{numbers.removesuffix('.0')}"


def read(level: str, cursor: str) -> tuple[Point, bool]:
    """Return the point that a cursor leads to, and whether it goes towards newer steps.

    Raises:
        ToolError: it is no cursor of that level.
    """
    found = _CURSOR.fullmatch(cursor) if isinstance(cursor, str) else None
    newer = found is not None and found[1] == _NEWER and level == "log"
    if found is None or not (newer or found[1] == _LETTERS[level]):
        raise wrong(cursor)
    return Point(found[2] or "", int(found[3] or 0), int(found[4] or 0)), newer


def wrong(cursor: object) -> ToolError:
    """Return the error for a cursor that leads nowhere."""
    return ToolError(f"cursor {str(cursor)[:40]!r} leads nowhere: leave it out to begin again")
