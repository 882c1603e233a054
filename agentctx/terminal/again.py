"""Blocks of lines that stand further up in the same output: the first copy stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentctx.terminal.hidden import BLANKS, WORTH_A_MARKER, Hidden, size
from agentctx.terminal.lines import Line, extent

CANDIDATES = 8
"""Earlier places that are tried for one line, the latest first."""


def again(lines: Sequence[Line], free: Sequence[bool]) -> list[Hidden]:
    """Return the runs of shown lines that repeat lines shown further up, word for word."""
    found: list[Hidden] = []
    shown = list(free)
    texts = [line.text for line in lines]
    often = {text for text, times in Counter(texts).items() if times > 1 and text.strip()}
    places: dict[int, list[int]] = {}
    end = 0
    for i, text in enumerate(texts):
        if i < end or not shown[i] or text not in often:
            continue
        earlier = places.setdefault(_start(texts, i), [])
        at, length = _longest(lines, i, shown, earlier)
        if size(lines, i, i + length) < WORTH_A_MARKER:
            earlier.append(i)
            continue
        first, last = extent(lines, at, at + length)
        found.append(Hidden(i, i + length, f"same as lines {first}-{last}", target=at))
        end = i + length
        shown[i:end] = [False] * length
    return found


def _start(texts: Sequence[str], i: int) -> int:
    """Return a hash of the shortest run from `i` on that is worth hiding.

    Only what begins with an equal run is compared: short lines stand in too many places.
    """
    stop, size = i, 0
    while stop < len(texts) and size < WORTH_A_MARKER:
        size += len(texts[stop]) + 1
        stop += 1
    return hash(tuple(texts[i:stop]))


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
            elif n - length >= BLANKS:
                break
        if length > best[1]:
            best = (at, length)
    return best
