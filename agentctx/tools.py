"""The tools that the model may call, and what they answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agentctx import patterns
from agentctx.archive import Archive
from agentctx.errors import ToolError
from agentctx.options import Remember
from agentctx.patterns import Pattern
from agentctx.values import ToolCall, ToolSpec

EXPAND = ToolSpec(
    name="expand",
    description="Show lines [agentctx] hid",
    parameters={
        "type": "object",
        "properties": {
            "handle": {"type": "string"},
            "lines": {"type": "string"},
            "grep": {"type": "string"},
        },
    },
)

COMMIT = "context_commit"
"""The tool of memory's that a model is reminded of."""

PAGE_LINES = 1_000
PAGE_CHARACTERS = 32_000
"""What one answer may hold; it says how to go on."""

_RANGE = re.compile(r"\s*(\d{1,12})\s*(?:[-:,]\s*(\d{1,12})?)?\s*")
_COLUMN = re.compile(r"[1-9]\d{0,11}", re.ASCII)
_MAX_LINE = 1 << 40


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of `expand`, validated: line numbers are 1-based and inclusive.

    `skip` are the characters of the first line that are left out.
    """

    handle: str
    first: int = 1
    last: int = _MAX_LINE
    grep: str = ""
    skip: int = 0

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last line."""
        return self.first, self.last

    @property
    def pattern(self) -> Pattern | None:
        """The program of `grep`, None for any line.

        Raises:
            ToolError: it is not RE2.
        """
        return compiled(self.grep) if self.grep else None


def specs(memory: Remember) -> tuple[ToolSpec, ...]:
    """Return the tools to offer to a model."""
    if memory is not Remember.ON:
        return (EXPAND,)
    from agentctx.memory.tools import SPECS

    return (EXPAND, *SPECS)


def names(memory: Remember) -> frozenset[str]:
    """Return the names of those tools, whose answers are left as they are."""
    return frozenset(spec.name for spec in specs(memory))


def owns(call: ToolCall) -> bool:
    """Tell whether a call is for `expand`, and not for a namesake of the host's."""
    given = call.arguments
    return call.name == EXPAND.name and isinstance(given, Mapping) and "handle" in given


def parse(arguments: Mapping[str, Any]) -> Request:
    """Return the request that a model's arguments make.

    Raises:
        ToolError: an argument cannot be used; the message says what to write instead.
    """
    handle = str(arguments.get("handle") or "").strip().lower()
    if not handle:
        raise ToolError("expand needs 'handle': the digits after 'expand' in a marker")
    lines, _, column = str(arguments.get("lines") or "").partition("@")
    if column and not _COLUMN.fullmatch(column):
        raise ToolError(f"column {column[:40]!r} is no number: write e.g. lines=5@32001")
    first, last = parse_range(lines)
    grep = arguments.get("grep") or ""
    if not isinstance(grep, str):
        raise ToolError(f"grep {grep!r} is not text: write a regular expression")
    return Request(handle, first, last, grep, int(column or 1) - 1)


def parse_range(lines: Any) -> tuple[int, int]:
    """Return the first and last line that "40-253", "40:253", "40-", "40" or nothing means.

    Raises:
        ToolError: it is none of these.
    """
    if lines is None or lines == "":
        return 1, _MAX_LINE
    match = _RANGE.fullmatch(str(lines))
    if match is None:
        raise ToolError(f"lines {str(lines)[:40]!r} is no range: write e.g. 40-253")
    first = max(int(match[1]), 1)
    open_ended = match[2] is None and len(str(lines).strip()) > len(match[1])
    last = _MAX_LINE if open_ended else int(match[2] or match[1])
    if last < first:
        raise ToolError(f"lines {first}-{last} ends before it begins: write {last}-{first}")
    return first, last


def expand(archive: Archive, request: Request, name: str) -> str:
    """Return one page of the original with content id `name`, and how to get the next.

    Raises:
        ArchiveError: there is no such original, or it cannot be read.
        ToolError: `grep` is no RE2 pattern.
    """
    lines = _matching(archive, name, request)
    page: list[str] = []
    size, last = 0, request.first - 1
    for number, line in lines:
        skip = request.skip if number == request.first else 0
        shown = f"{number}:{line}" if request.grep else line[skip:]
        if page and (len(page) == PAGE_LINES or size + len(shown) > PAGE_CHARACTERS):
            return "".join(page) + _rest(request, last + 1, 1 + sum(1 for _ in lines))
        page.append(shown[:PAGE_CHARACTERS])
        size += len(shown)
        last = number
        if len(shown) > PAGE_CHARACTERS:
            left, column = len(shown) - PAGE_CHARACTERS, skip + PAGE_CHARACTERS + 1
            page.append(
                f"\n[agentctx: {left} more characters of line {number}"
                f" · expand {request.handle} lines={number}@{column}]\n"
            )
    if page:
        return "".join(page)
    what = f" that match {request.grep!r}" if request.grep else ""
    return f"[agentctx: {request.handle} has no lines there{what}]"


def compiled(pattern: str) -> Pattern:
    """Return the program of a pattern that a model or a user wrote.

    Raises:
        ToolError: the pattern is not RE2.
    """
    try:
        return patterns.compiled(pattern)
    except ValueError as error:
        raise ToolError(f"grep {pattern[:80]!r} is {error}") from None


def _matching(archive: Archive, name: str, request: Request) -> Iterator[tuple[int, str]]:
    pattern = request.pattern
    lines = archive.lines(name, request.first, request.last)
    for number, raw in enumerate(lines, request.first):
        line = raw.decode("utf-8", "replace")
        if pattern is None or pattern.search(line.rstrip("\n")):
            yield number, line


def _rest(request: Request, line: int, left: int) -> str:
    until = "" if request.last == _MAX_LINE else str(request.last)
    grep = f" grep={request.grep!r}" if request.grep else ""
    more = f"{left} more line{'s' * (left > 1)}"
    return f"[agentctx: {more} · expand {request.handle} lines={line}-{until}{grep}]"
