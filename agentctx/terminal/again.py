"""Blocks of lines that stand further up in the same output: the first copy stays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from agentctx.terminal.hidden import Hidden
from agentctx.terminal.lines import Line

MIN_CHARACTERS = 240
"""A run shorter than this costs about as much as its marker."""

CANDIDATES = 8
"""Earlier places that are tried for one line, the latest first."""


def again(lines: Sequence[Line], free: Sequence[bool]) -> list[Hidden]:
    """Return the runs of shown lines that repeat lines shown further up, word for word."""
    found: list[Hidden] = []
    places: dict[str, list[int]] = defaultdict(list)
    hidden: set[int] = set()
    i = 0
    while i < len(lines):
        at, length = _longest(lines, i, free, places.get(lines[i].text, []), hidden)
        if sum(len(line.text) + 1 for line in lines[i : i + length]) >= MIN_CHARACTERS:
            first, last = lines[at].first, lines[at + length - 1].last
            found.append(Hidden(i, i + length, f"same as lines {first}-{last}", target=at))
            hidden.update(range(i, i + length))
            i += length
            continue
        if free[i] and lines[i].text.strip():
            places[lines[i].text].append(i)
        i += 1
    return found


def _longest(
    lines: Sequence[Line],
    i: int,
    free: Sequence[bool],
    places: Sequence[int],
    hidden: set[int],
) -> tuple[int, int]:
    """Return where the longest equal run of shown lines above `i` starts, and its length."""
    best = (0, 0)
    for at in places[: -CANDIDATES - 1 : -1]:
        length = 0
        for n in range(min(i - at, len(lines) - i)):
            here, there = i + n, at + n
            if not (free[here] and free[there]) or there in hidden:
                break
            if lines[here].text != lines[there].text:
                break
            if lines[here].text.strip():
                length = n + 1
        if length > best[1]:
            best = (at, length)
    return best
