"""Stored text as recall shows it: what rests on tool output is quoted, attributed, and gives no orders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentctx.memory.hygiene import HELD, defused, harmless, suspicious, visible
from agentctx.values import Trust


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an answer; `source` says where a quoted one comes from ("": it is not quoted)."""

    text: str
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Lines that belong together, such as a record's.

    `key` finds them again, `ids` lead to the next level. A passage that is a `stop` has no lines:
    an answer ends before it, and can be continued there.
    """

    key: str = ""
    lines: tuple[Line, ...] = ()
    ids: tuple[str, ...] = ()
    trust: Trust = Trust.MODEL
    stop: bool = False


def own(text: str) -> tuple[Line, ...]:
    """Return the lines of a text that the model or a person wrote."""
    return tuple(Line(line) for line in defused(visible(text)).split("\n"))


def verbatim(text: str) -> tuple[Line, ...]:
    """Return the lines of the user's own words; only borders of recalled text are escaped."""
    text = defused(text).encode("utf-8", "replace").decode()
    return tuple(Line(line) for line in text.split("\n"))


def quoted(text: str, source: str) -> tuple[Line, ...]:
    """Return the lines of a text that nobody vouches for; those that give orders are held back."""
    return tuple(Line(line, source) for line in _harmless(visible(text)))


def noted(text: str, trust: Trust, id: str) -> tuple[Line, ...]:
    """Return the lines of a record's text, quoted if it rests on what a tool said."""
    if trust >= Trust.USER:
        return verbatim(text)
    return own(text) if trust > Trust.TOOL else quoted(text, f"noted from tool output, commit {id}")


def _harmless(text: str) -> Iterator[str]:
    lines = text.split("\n")
    if suspicious(text):
        lines = [harmless(line) for line in lines]
        if suspicious("\n".join(lines)):  # the orders take several lines
            lines = [HELD]
    yield from defused("\n".join(lines)).split("\n")
