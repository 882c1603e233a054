"""An output beside what the model saw of it, line by line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from agentctx.evals.audit import is_cut, is_marker
from agentctx.terminal.lines import Line
from agentctx.terminal.screen import screen

_RANGE = re.compile(r" · lines? (\d+)(?:-(\d+))? · ")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a comparison.

    `kind` is "kept" (on both sides), "hidden" (original only) or "marker" (model's side only).
    `first` is the original's line number, 0 for a marker.
    """

    kind: str
    first: int
    before: str
    after: str


def align(before: str, after: str) -> tuple[Row, ...]:
    """Return the lines of both texts side by side; every raw line stands in exactly one row."""
    return tuple(_Aligner(before).rows(after))


class _Aligner:
    """Walks down the original as the shown lines are matched with it."""

    def __init__(self, before: str) -> None:
        self.raw = before.split("\n")
        self.at = 0
        self._places: defaultdict[str, list[Line]] = defaultdict(list)
        self._shown = screen(before)
        for line in self._shown:
            self._places[line.text.rstrip()].append(line)

    def rows(self, after: str) -> Iterator[Row]:
        """Yield all rows in the order of the shown text."""
        lines = after.split("\n")
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if is_marker(line):
                yield Row("marker", 0, "", line)
                yield from self._until((extent(line) or (0, self.at))[1])
                continue
            found = self._find(line, cut=is_cut(following))
            if found is None:
                yield Row("kept", 0, "", line)
                continue
            yield from self._until(found.first - 1)
            yield Row("kept", found.first, self.raw[found.first - 1], line)
            self.at = found.first
            yield from self._until(found.last)
        yield from self._until(len(self.raw))

    def _find(self, line: str, *, cut: bool) -> Line | None:
        """Return the first place below the last one where the original shows this line."""
        if cut:
            below = (s for s in self._shown if s.first > self.at and s.text.startswith(line))
        else:
            below = (s for s in self._places[line.rstrip()] if s.first > self.at)
        return next(below, None)

    def _until(self, last: int) -> Iterator[Row]:
        for number in range(self.at + 1, min(last, len(self.raw)) + 1):
            yield Row("hidden", number, self.raw[number - 1], "")
        self.at = max(self.at, min(last, len(self.raw)))


def extent(marker: str) -> tuple[int, int] | None:
    """Return the first and the last line that a marker says are hidden; None where it says none."""
    found = _RANGE.search(marker)
    return (int(found[1]), int(found[2] or found[1])) if found else None
