"""Lines that an output prints again and again without a break: the first copy stays."""

from __future__ import annotations

from collections.abc import Sequence

from agentctx.terminal.hidden import Hidden
from agentctx.terminal.lines import Line

LONGEST_PERIOD = 12
"""Blocks of up to this many lines are recognised when they repeat."""

MIN_CHARACTERS = 200
"""A run shorter than this costs less than its marker."""


def repeats(lines: Sequence[Line]) -> list[Hidden]:
    """Return the runs that repeat, back to back, the block of lines right before them."""
    found: list[Hidden] = []
    texts = [line.text for line in lines]
    i = 1
    while i < len(texts):
        period, length = _run(texts, i)
        if length and sum(len(t) + 1 for t in texts[i : i + length]) >= MIN_CHARACTERS:
            block = f"the {period} lines before" if period > 1 else "the line before"
            found.append(Hidden(i, i + length, f"repeat {block}", target=i - period))
            i += length
        i += 1
    return found


def _run(texts: Sequence[str], i: int) -> tuple[int, int]:
    """Return the period and the length of the run at `i` that repeats the lines before it."""
    for period in range(1, min(LONGEST_PERIOD, i) + 1):
        if texts[i] != texts[i - period] or not any(texts[i - period : i]):
            continue
        j = i
        while j < len(texts) and texts[j] == texts[j - period]:
            j += 1
        whole = (j - i) // period * period
        if whole:
            return period, whole
    return 0, 0
