"""Blocks of lines that stand further up in the same output: the first copy stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentctx.terminal.hidden import Hidden
from agentctx.terminal.lines import Line, extent

MIN_CHARACTERS = 120
"""A run shorter than this costs about as much as its marker."""

CANDIDATES = 8
"""Earlier places that are tried for one line, the latest first."""

BLANKS = MIN_CHARACTERS
"""So many blank lines on end finish a run: they would be read over again for every line of it."""


def again(lines: Sequence[Line], free: Sequence[bool]) -> list[Hidden]:
    """Return the runs of shown lines that repeat lines shown further up, word for word."""
    found: list[Hidden] = []
    shown = list(free)
    places: dict[int, list[int]] = {}
    end = 0
    for i, start in enumerate(_starts(lines)):
        if i < end or not shown[i] or not lines[i].text or lines[i].text.isspace():
            continue
        earlier = places.setdefault(start, [])
        at, length = _longest(lines, i, shown, earlier)
        if _size(lines, i, i + length) < MIN_CHARACTERS:
            earlier.append(i)
            continue
        first, last = extent(lines, at, at + length)
        found.append(Hidden(i, i + length, f"same as lines {first}-{last}", target=at))
        end = i + length
        shown[i:end] = [False] * length
    return found


def _starts(lines: Sequence[Line]) -> Iterator[int]:
    """Yield, for each line, a hash of the shortest run from there on that is worth hiding.

    Only what begins with an equal run is compared: short lines stand in too many places.
    """
    hashes = [hash(line.text) for line in lines]
    stop, size = 0, 0
    for i, line in enumerate(lines):
        while stop < len(lines) and size < MIN_CHARACTERS:
            size += len(lines[stop].text) + 1
            stop += 1
        yield hash(tuple(hashes[i:stop]))
        size -= len(line.text) + 1


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


def _size(lines: Sequence[Line], start: int, stop: int) -> int:
    return sum(len(line.text) + 1 for line in lines[start:stop])
