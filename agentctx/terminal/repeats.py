"""Lines that an output prints again and again without a break: the first copy stays."""

from __future__ import annotations

from collections.abc import Sequence

from agentctx.terminal.hidden import WORTH_A_MARKER, Hidden, size
from agentctx.terminal.lines import Line

LONGEST_PERIOD = 12
"""Blocks of up to this many lines are recognised when they repeat."""


def repeats(lines: Sequence[Line]) -> list[Hidden]:
    """Return the runs that repeat, back to back, the block of lines right before them."""
    found: list[Hidden] = []
    texts = [line.text for line in lines]
    if texts and not texts[-1]:  # what follows the last line's end is no line
        texts.pop()
    latest: dict[str, int] = {}
    i = 0
    while i < len(texts):
        period = i - latest.get(texts[i], -LONGEST_PERIOD - 1)
        latest[texts[i]] = i
        length = _run(texts, i, period) if period <= LONGEST_PERIOD and texts[i] else 0
        if not length or size(lines, i, i + length) < WORTH_A_MARKER:
            i += 1
            continue
        block = f"the {period} lines before" if period > 1 else "the line before"
        found.append(Hidden(i, i + length, f"repeat {block}", target=i - period))
        i += length
    return found


def _run(texts: Sequence[str], i: int, period: int) -> int:
    """Return how many lines from `i` on repeat, in whole blocks, the `period` lines before."""
    j = i
    while j < len(texts) and texts[j] == texts[j - period]:
        j += 1
    return (j - i) // period * period
