"""As many lines as a number of tokens allows, from a point on or up to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from agentctx.memory.recall.cursor import Point
from agentctx.memory.recall.quote import Line, Passage
from agentctx.values import Trust

CUT = "…"
"""Stands where a line that is longer than a whole answer was cut."""

SHORT = "quoted"
"""The attribution where there is no room for more."""

_LONGEST = 64  # characters that one token may have, generously


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Rows to show, and the points where earlier and later ones are (None: there are none)."""

    rows: tuple[str, ...]
    before: Point | None
    after: Point | None
    ids: tuple[str, ...]
    trust: Trust


@dataclass(frozen=True, slots=True)
class Slice:
    """The characters from `first` to before `last` of line `number` of a passage."""

    passage: Passage
    number: int
    line: Line
    first: int
    last: int

    @property
    def row(self) -> str:
        """What is shown of it."""
        begun, cut = self.first > 0, self.last < len(self.line.text)
        text = f"{CUT * begun}{self.line.text[self.first : self.last]}{CUT * cut}"
        return f"> {text}" if self.line.source else text

    @property
    def start(self) -> Point:
        """The place before it."""
        return Point(self.passage.key, self.number, self.first)

    @property
    def end(self) -> Point:
        """The place after it, within its line."""
        return Point(self.passage.key, self.number, self.last)


@dataclass(slots=True)
class _Sheet:
    """Slices as they are collected, downwards or upwards, within `size` tokens."""

    size: int
    count: Callable[[str], int]
    slices: list[Slice] = field(default_factory=list)
    used: int = 0

    def add(self, slice: Slice) -> bool:
        cost = self._cost(slice)
        if self.used + cost > self.size:
            return False
        self._put(slice, cost)
        return True

    def cut(self, slice: Slice, upwards: bool) -> Slice:
        """Add what fits of a line that is longer than the sheet: its beginning, or its end."""
        fits, over = 1, min(slice.last - slice.first, self.size * _LONGEST) + 1
        while fits + 1 < over:
            half = (fits + over) // 2
            if self._cost(_part(slice, half, upwards)) <= self.size:
                fits = half
            else:
                over = half
        part = _part(slice, fits, upwards)
        self._put(part, self._cost(part))
        return part

    def window(self, before: Point | None, after: Point | None, upwards: bool = False) -> Window:
        slices = self.slices[::-1] if upwards else self.slices
        passages = [slice.passage for slice in slices]
        return Window(
            rows=tuple(self._rows(slices)),
            before=before,
            after=after,
            ids=tuple(dict.fromkeys(id for passage in passages for id in passage.ids)),
            trust=min((passage.trust for passage in passages), default=Trust.SYSTEM),
        )

    def _put(self, slice: Slice, cost: int) -> None:
        self.slices.append(slice)
        self.used += cost

    def _cost(self, slice: Slice) -> int:
        """Return the tokens of a slice, and of the attribution that it needs here."""
        source = slice.line.source
        near = self.slices[-1].line.source if self.slices else ""
        attribution = self.count(f"{self._named(source)}\n") if source and source != near else 0
        row = f"{slice.row}\n"
        start = self.count(row[: self.size * _LONGEST])  # a long row is not counted to its end
        whole = start > self.size or len(row) <= self.size * _LONGEST
        return attribution + (start if whole else self.count(row))

    def _rows(self, slices: Iterable[Slice]) -> Iterator[str]:
        above = ""
        for slice in slices:
            source = slice.line.source
            if source and source != above:
                yield self._named(source)
            yield slice.row
            above = source

    def _named(self, source: str) -> str:
        return f"{source}:" if 3 * self.count(source) <= self.size else f"{SHORT}:"


def downwards(
    passages: Iterator[Passage], start: Point, size: int, count: Callable[[str], int]
) -> Window:
    """Return the lines from `start` on that fit into `size` tokens.

    Args:
        passages: in reading order; the first one is that of `start`.
        start: where to begin.
        size: tokens for the rows.
        count: counts tokens.
    """
    sheet, before = _Sheet(size, count), start if start != Point() else None
    for slice in _below(passages, start):
        if slice.passage.stop:
            return sheet.window(before, slice.start)
        if not sheet.add(slice):
            after = slice.start if sheet.slices else sheet.cut(slice, upwards=False).end
            return sheet.window(before, after)
    return sheet.window(before, None)


def upwards(
    passages: Iterator[Passage], end: Point | None, size: int, count: Callable[[str], int]
) -> Window:
    """Return the lines before `end` (None: the last ones) that fit into `size` tokens.

    Args:
        passages: the last one first; the first is that of `end`.
        end: where to end.
        size: tokens for the rows.
        count: counts tokens.
    """
    sheet = _Sheet(size, count)
    for slice in _above(passages, end):
        if not sheet.add(slice):
            if not sheet.slices:
                sheet.cut(slice, upwards=True)
            return sheet.window(sheet.slices[-1].start, end, upwards=True)
    return sheet.window(None, end, upwards=True)


def reaches(passage: Passage, point: Point) -> bool:
    """Tell whether a passage has that point."""
    if point.line >= len(passage.lines):
        return point.line == point.char == 0
    return point.char <= len(passage.lines[point.line].text)


def _below(passages: Iterator[Passage], start: Point) -> Iterator[Slice]:
    line, char = start.line, start.char
    for passage in passages:
        if passage.stop:
            yield Slice(passage, 0, Line(""), 0, 0)
        for number, found in enumerate(passage.lines[line:], line):
            if not char or char < len(found.text):
                yield Slice(passage, number, found, char, len(found.text))
            char = 0
        line = char = 0


def _above(passages: Iterator[Passage], end: Point | None) -> Iterator[Slice]:
    for passage in passages:
        lines = passage.lines
        if end is not None:
            if end.char:
                yield Slice(passage, end.line, lines[end.line], 0, end.char)
            lines, end = lines[: end.line], None
        for number in range(len(lines) - 1, -1, -1):
            yield Slice(passage, number, lines[number], 0, len(lines[number].text))


def _part(slice: Slice, size: int, upwards: bool) -> Slice:
    if upwards:
        return replace(slice, first=slice.last - size)
    return replace(slice, last=slice.first + size)
