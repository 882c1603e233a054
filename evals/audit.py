"""Laws 1 and 4 on one observation: is what was shown verbatim, and is the rest to be had back?"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import zip_longest

from agentctx.evals.lines import moves, visible
from agentctx.evals.policy import Arm
from agentctx.terminal.screen import screen

_MARKER = re.compile(r"\[agentctx: [^\n]*\]")
_HANDLE = re.compile(r"\bexpand ([0-9a-f]{6,64})\b")
_CUT = re.compile(r"\[agentctx: \d+ of \d+ characters of line \d+ hidden [^\n]*\]")


@dataclass(frozen=True, slots=True)
class Audit:
    """What is wrong with one emitted text.

    `verbatim` lines are neither the original's, in its order, nor markers; `lost` lines are
    hidden and no handle in the text gives the original back byte for byte; `dangling` handles
    give nothing.
    """

    verbatim: tuple[str, ...] = ()
    lost: int = 0
    dangling: int = 0


def audit(raw: str, emitted: str, arm: Arm) -> Audit:
    """Return what is wrong with the text that stands for the observation `raw`."""
    original = arm.original(raw)
    if emitted == original:
        return Audit()
    expanded = [arm.expand(handle) for handle in handles(emitted)]
    back = original in expanded
    return Audit(
        verbatim=violations(original, emitted),
        lost=0 if back else len(hidden(original, emitted)),
        dangling=expanded.count(None),
    )


def handles(text: str) -> list[str]:
    """Return the handles that the markers of a text name, each once."""
    marked = (line for line in text.split("\n") if is_marker(line))
    return list(dict.fromkeys(handle for line in marked for handle in _HANDLE.findall(line)))


def is_marker(line: str) -> bool:
    """Tell whether a line is a marker of agentctx."""
    return _MARKER.fullmatch(line) is not None


def is_cut(line: str) -> bool:
    """Tell whether a line is the marker of the hidden end of the line before it."""
    return _CUT.fullmatch(line) is not None


def hidden(original: str, emitted: str) -> list[str]:
    """Return the lines of the original, blank ones aside, that the emitted text does not show."""
    left = Counter(line.rstrip() for line in emitted.split("\n"))
    gone: list[str] = []
    for line in screened(original):
        left[line.rstrip()] -= 1
        if left[line.rstrip()] < 0 and line.strip():
            gone.append(line)
    return gone


def violations(original: str, emitted: str) -> tuple[str, ...]:
    """Return the emitted lines that are neither markers nor the original's lines in order.

    Both a raw line and the same line as a terminal shows it count as the original's; so does
    the beginning of a line when a marker of hidden characters follows it.
    """
    shown = screened(original)
    places = _places(original.split("\n"), shown)
    wrong: list[str] = []
    last = -1
    lines = emitted.split("\n")
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if is_marker(line):
            continue
        found = places.get(line.rstrip(), [])
        at = bisect_right(found, last)
        if at < len(found):
            last = found[at]
        elif not (is_cut(after) and any(s.startswith(line) for s in shown)):
            wrong.append(line)
    return tuple(wrong)


def _places(raw: list[str], shown: list[str]) -> dict[str, list[int]]:
    """Return where each line stands, raw or shown, in ascending order."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for number, pair in enumerate(zip_longest(raw, shown, fillvalue="")):
        for line in {line.rstrip() for line in pair}:
            places[line].append(number)
    return dict(places)


def screened(text: str) -> list[str]:
    """Return the lines that a terminal shows; only for moves between lines ask the product."""
    if not moves(text):
        return visible(text)
    return [line.text for line in screen(text)]
