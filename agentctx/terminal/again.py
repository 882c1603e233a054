"""Blocks of lines that stand further up in the same output: the first copy stays."""

from __future__ import annotations

from collections.abc import Sequence

from agentctx.terminal.hidden import Hidden
from agentctx.terminal.lines import Line

MIN_CHARACTERS = 120
"""A run shorter than this costs about as much as its marker."""

CANDIDATES = 8
"""Earlier places that are tried for one line, the latest first."""


def again(lines: Sequence[Line], free: Sequence[bool]) -> list[Hidden]:
    """Return the runs of shown lines that repeat lines shown further up, word for word."""
    found: list[Hidden] = []
    shown = list(free)
    places: dict[str, list[int]] = {}
    i = 0
    while i < len(lines):
        text = lines[i].text
        earlier = places.get(text)
        if earlier is None or not shown[i]:
            if shown[i] and text and not text.isspace():
                places[text] = [i]
            i += 1
            continue
        at, length = _longest(lines, i, shown, earlier)
        earlier.append(i)
        if sum(len(line.text) + 1 for line in lines[i : i + length]) < MIN_CHARACTERS:
            i += 1
            continue
        first, last = lines[at].first, lines[at + length - 1].last
        found.append(Hidden(i, i + length, f"same as lines {first}-{last}", target=at))
        shown[i : i + length] = [False] * length
        i += length
    return found


def _longest(
    lines: Sequence[Line], i: int, shown: Sequence[bool], places: Sequence[int]
) -> tuple[int, int]:
    """Return where the longest equal run of shown lines above `i` starts, and its length."""
    best = (0, 0)
    for at in places[: -CANDIDATES - 1 : -1]:
        length = 0
        for n in range(min(i - at, len(lines) - i)):
            text = lines[i + n].text
            if text != lines[at + n].text or not (shown[i + n] and shown[at + n]):
                break
            if text.strip():
                length = n + 1
        if length > best[1]:
            best = (at, length)
    return best
