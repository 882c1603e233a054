"""Lines that the model can already see: a reference takes their place.

Only lines that stand in the live window, verbatim or with nothing but their line numbers moved by
one offset, are hidden; the reference says which result shows them and where. The published TACO has
no such step, and it is the largest single lever on real trajectories (21 % of SWE-bench tokens).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agentctx.terminal.hidden import Hidden, around
from agentctx.terminal.lines import Line
from agentctx.terminal.window import Key, Place, Shown, Window, key

MIN_CHARACTERS = 240
"""A run shorter than this costs about as much as its marker."""


class Match(NamedTuple):
    """`length` lines that equal those from `place` on, with line numbers `offset` higher."""

    place: Place
    length: int
    offset: int


def echo(
    lines: Sequence[Line], free: Sequence[bool], keep: Sequence[bool], window: Window
) -> list[Hidden]:
    """Return the runs of lines that an earlier observation in the window shows.

    Args:
        lines: the screened output.
        free: for each line, whether it is still shown.
        keep: for each line, whether it must stay (evidence).
        window: the observations that the model sees.
    """
    keys = [key(line.text) for line in lines]
    found: list[Hidden] = []
    i = 0
    while i < len(keys):
        match = _longest(keys, i, free, window) if free[i] else None
        if match is None or _size(lines, i, i + match.length) < MIN_CHARACTERS:
            i += 1
            continue
        found += _runs(lines, i, match, keep, window)
        i += match.length
    return found


def _longest(keys: Sequence[Key], i: int, free: Sequence[bool], window: Window) -> Match | None:
    best: Match | None = None
    for place in window.places(keys[i]):
        match = _extend(keys, i, free, place)
        if match and (best is None or match.length > best.length):
            best = match
    return best


def _extend(keys: Sequence[Key], i: int, free: Sequence[bool], place: Place) -> Match | None:
    """Follow both texts from here on for as long as they agree."""
    theirs = place.shown.keys[place.at : place.at + len(keys) - i]
    offset: int | None = None
    length = 0
    for n, there in enumerate(theirs):
        here = keys[i + n]
        if there is None or here.body != there.body or not free[i + n]:
            break
        if (here.number is None) != (there.number is None):
            break
        if here.number is not None and there.number is not None:
            if offset is None:
                offset = here.number - there.number
            elif here.number - there.number != offset:
                break
        if here.body.strip():
            length = n + 1
    return Match(place, length, offset or 0) if length else None


def _runs(
    lines: Sequence[Line], i: int, match: Match, keep: Sequence[bool], window: Window
) -> list[Hidden]:
    """Return what can be hidden of a match once the evidence in it stays."""
    found = []
    for start, stop in around(i, i + match.length, keep):
        if _size(lines, start, stop) < MIN_CHARACTERS:
            continue
        shown, at = match.place.shown, match.place.at + start - i
        age = window.age(match.place)
        reason = _reason(shown, at, at + stop - start, match.offset, age)
        found.append(Hidden(start, stop, reason, source=f"{shown.id}@{age}"))
    return found


def _reason(shown: Shown, start: int, stop: int, offset: int, age: int) -> str:
    back = "in the result before this" if age == 1 else f"{age} results back"
    label = f" by {shown.label}" if shown.label else ""
    moved = f", numbers now {offset:+d}" if offset else ""
    return f"shown {back}{label}, lines {shown.numbers[start]}-{shown.numbers[stop - 1]}{moved}"


def _size(lines: Sequence[Line], start: int, stop: int) -> int:
    return sum(len(line.text) for line in lines[start:stop]) + stop - start
