"""Lines that the model can already see: a reference takes their place.

Only lines that stand in the live window, verbatim or with nothing but their line numbers changed in
one regular way, are hidden; the reference says which result or call shows them, and where. The
published TACO has no such step, and it is the largest single lever on real trajectories (21 % of
the tokens of SWE-bench runs).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agentctx.terminal.hidden import BLANKS, WORTH_A_MARKER, Hidden, around, size
from agentctx.terminal.lines import Line
from agentctx.terminal.window import Key, Place, Shown, Window, key, opening

_SIGNS = ("+", " ")
"""What a diff puts before a line that was added or stayed."""

WORTH_A_LABEL = 600
"""A run so long is worth the tokens of naming the command that shows it."""


class Match(NamedTuple):
    """`length` lines that equal those from `place` on, but for the numbers that `moved` tells."""

    place: Place
    length: int
    moved: str = ""


def echo(
    lines: Sequence[Line], free: Sequence[bool], keep: Sequence[bool], window: Window
) -> list[Hidden]:
    """Return the runs of lines that the model sees elsewhere in the window.

    Args:
        lines: the screened output.
        free: for each line, whether it is still shown.
        keep: for each line, whether it must stay (evidence).
        window: the results and calls that the model sees.
    """
    found: list[Hidden] = []
    if window.empty:
        return found
    keys = [key(line.text) for line in lines]
    i = 0
    while i < len(keys):
        match = _longest(keys, i, free, window) if free[i] else None
        if match is None or size(lines, i, i + match.length) < WORTH_A_MARKER:
            i += 1
            continue
        found += _runs(lines, i, match, keep, window)
        i += match.length
    return found


def _longest(keys: Sequence[Key], i: int, free: Sequence[bool], window: Window) -> Match | None:
    best: Match | None = None
    body = keys[i][0]
    following = keys[i + 1][0] if i + 1 < len(keys) else None
    for sign in ("", *_SIGNS) if body[:1] in _SIGNS else ("",):
        second = following
        if second is not None and sign:
            second = second[1:] if second.startswith(sign) else None
        for place in window.places(opening(body.removeprefix(sign), second)):
            match = _extend(keys, i, free, place, sign)
            if best is None or match.length > best.length:
                best = match
    return best


def _extend(keys: Sequence[Key], i: int, free: Sequence[bool], place: Place, sign: str) -> Match:
    """Follow both texts from here on for as long as they agree."""
    theirs = place.shown.keys
    shift = _shift(keys[i], theirs[place.at], 0)
    length = 0
    for n in range(min(len(theirs) - place.at, len(keys) - i)):
        here, there = keys[i + n], theirs[place.at + n]
        if there is None or not free[i + n] or here[0] != sign + there[0]:
            break
        if _shift(here, there, n) != shift:
            break
        if here[0] and not here[0].isspace():
            length = n + 1
        elif n - length >= BLANKS:
            break
    return Match(place, length, _moved(keys[i], shift, sign))


def _shift(here: Key, there: Key | None, n: int) -> tuple[str, int]:
    """Return how the number of the n-th line of a run differs from that of its source."""
    number, source = here[1], there and there[1]
    if there is None or number == source:
        return "same", 0
    if number is None:
        return "dropped", 0
    if source is None:
        return "added", number - n
    return "moved", number - source


def _moved(here: Key, shift: tuple[str, int], sign: str) -> str:
    kind, by = shift
    told = f", numbers now {by:+d}" if kind == "moved" else ""
    if kind == "added":
        told = f", numbered from {here[1]} here"
    return told + (f", each after {sign!r} here" if sign else "")


def _runs(
    lines: Sequence[Line], i: int, match: Match, keep: Sequence[bool], window: Window
) -> list[Hidden]:
    """Return what can be hidden of a match once the evidence in it stays."""
    found = []
    for start, stop in around(i, i + match.length, keep):
        if size(lines, start, stop) < WORTH_A_MARKER:
            continue
        shown, at = match.place.shown, match.place.at + start - i
        back = window.back(match.place)
        numbers = f"lines {shown.numbers[at]}-{shown.numbers[at + stop - start - 1]}"
        label = shown.label if size(lines, start, stop) >= WORTH_A_LABEL else ""
        reason = f"shown {_where(shown, back, label)}, {numbers}{match.moved}"
        source = f"{'call:' if shown.call else ''}{shown.id}@{back}"
        found.append(Hidden(start, stop, reason, source=source))
    return found


def _where(shown: Shown, back: int, label: str) -> str:
    if shown.call:
        return "in this call" if back == 0 else f"in your call {back} results back"
    if back == 1:
        return "in the last result"
    return f"{back} results back" + (f" by {label}" if label else "")
