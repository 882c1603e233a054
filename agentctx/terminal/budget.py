"""The last resort for long output: head, tail and evidence stay, the middle goes."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from agentctx.terminal.hidden import WORTH_A_MARKER, Hidden, around, size
from agentctx.terminal.lines import Line

HEAD, TAIL = 0.35, 0.45
"""Shares of the budget; what is left goes to evidence, which is kept even beyond the budget."""

MIN_CHARACTERS = 2 * WORTH_A_MARKER
"""What goes here stands nowhere else: it has to be worth more than a reference."""

LONGEST_STACK = 80
"""Lines of one traceback that are kept whole."""


def budget(
    lines: Sequence[Line],
    free: Sequence[bool],
    keep: Sequence[bool],
    limit: float,
) -> list[Hidden]:
    """Return the runs to hide so that about `limit` characters stay, and the evidence on top."""
    sizes = [len(line.text) + 1 if shown else 0 for line, shown in zip(lines, free, strict=True)]
    if sum(sizes) <= limit:
        return []
    # A line longer than all of the budget is not hidden but cut to a head.
    sizes = [length if length <= limit else int(limit * HEAD) for length in sizes]
    head = _reach(sizes, limit * HEAD)
    tail = len(lines) - _reach(sizes[::-1], limit * TAIL)
    stays = [
        not shown or kept or i < head or i >= tail
        for i, (shown, kept) in enumerate(zip(free, _stacks(lines, keep), strict=True))
    ]
    return [
        Hidden(start, stop, "middle")
        for start, stop in around(0, len(lines), stays)
        if size(lines, start, stop) >= MIN_CHARACTERS
    ]


def cut(text: str, longest: int) -> str:
    """Return at most `longest` characters of a line, never ending inside a character's marks."""
    end = min(longest, len(text))
    while 0 < end < len(text) and (unicodedata.combining(text[end]) or text[end] in "\u200d\ufe0f"):
        end -= 1
    return text[:end]


def _reach(sizes: Sequence[int], limit: float) -> int:
    """Return how many lines from the start fit in `limit` characters."""
    spent = 0
    for i, characters in enumerate(sizes):
        spent += characters
        if spent > limit:
            return i
    return len(sizes)


def _stacks(lines: Sequence[Line], keep: Sequence[bool]) -> list[bool]:
    """Add to the kept lines the whole of each Python traceback."""
    kept = list(keep)
    i = 0
    while i < len(lines):
        if "Traceback (most recent call last)" in lines[i].text:
            stop = min(i + LONGEST_STACK, len(lines))
            indent = len(lines[i].text) - len(lines[i].text.lstrip())
            while i < stop:
                kept[i] = True
                i += 1
                text = lines[i].text if i < stop else ""
                if text.strip() and len(text) - len(text.lstrip()) <= indent:
                    break
        i += 1
    return kept
