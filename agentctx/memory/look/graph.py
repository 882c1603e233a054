"""The history of all branches drawn with lines, as `git log --graph` draws it."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from agentctx.memory.store.nodes import Linked, reached


class Point(Linked, Protocol):
    """What the drawing needs to know of a commit."""

    @property
    def at(self) -> float:
        """When it was made."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the drawing: characters with the number of their strand, and the commit on it."""

    cells: tuple[tuple[str, int], ...]
    hash: str = ""

    @property
    def text(self) -> str:
        """The characters alone."""
        return "".join(character for character, _ in self.cells)


def ordered(tips: Iterable[str], point: Callable[[str], Point]) -> list[Point]:
    """Return all that the tips lead to, children before parents, else the newest first."""
    found = {one.hash: one for one in reached(tips, point)}
    children = Counter(parent for one in found.values() for parent in one.parents)
    ready = [(-one.at, hash) for hash, one in found.items() if not children[hash]]
    heapq.heapify(ready)
    order = []
    while ready:
        one = found[heapq.heappop(ready)[1]]
        order.append(one)
        for parent in one.parents:
            children[parent] -= 1
            if not children[parent]:
                heapq.heappush(ready, (-found[parent].at, parent))
    return order


def draw(points: Iterable[Point]) -> Iterator[Line]:
    """Yield the lines of a history that comes children before parents."""
    strands = _Strands()
    for one in points:
        yield from strands.gather(one.hash)
        yield strands.commit(one.hash)
        yield from strands.follow(one)


class _Strands:
    """The lines that run from the commits above to their parents, from left to right."""

    def __init__(self) -> None:
        self._awaited: list[tuple[str, int]] = []  # what a strand leads to, and its number
        self._made = 0

    def gather(self, hash: str) -> Iterator[Line]:
        """Let all strands that lead to one commit meet in the leftmost."""
        while len(places := self._places(hash)) > 1:
            left, right = places[0], places[1]
            cells = self._upright()
            for place in range(left, right - 1):
                cells[2 * place + 1] = ("_", self._number(right))
            cells[2 * right - 1 : 2 * right + 1] = [("/", self._number(right)), (" ", 0)]
            self._shift(cells, right + 1)
            del self._awaited[right]
            yield _line(cells)

    def commit(self, hash: str) -> Line:
        """Mark the commit on its strand, a new one where none leads to it."""
        if not self._places(hash):
            self._awaited.append((hash, self._next()))
        place = self._places(hash)[0]
        cells = self._upright()
        cells[2 * place] = ("*", self._number(place))
        return _line(cells, hash)

    def follow(self, one: Point) -> Iterator[Line]:
        """Lead on to the parents: none ends the strand, each but the first opens one."""
        place = self._places(one.hash)[0]
        if not one.parents:
            yield from self._end(place)
            return
        self._awaited[place] = (one.parents[0], self._number(place))
        for parent in one.parents[1:]:
            number, cells = self._next(), self._upright()
            for other in range(place + 1, len(self._awaited)):
                cells[2 * other : 2 * other + 2] = [(" ", 0), ("\\", self._number(other))]
            cells[2 * place + 1] = ("\\", number)
            self._awaited.insert(place + 1, (parent, number))
            yield _line(cells)

    def _end(self, place: int) -> Iterator[Line]:
        cells = self._upright()
        cells[2 * place] = (" ", 0)
        self._shift(cells, place + 1)
        del self._awaited[place]
        if self._awaited[place:]:
            yield _line(cells)

    def _shift(self, cells: list[tuple[str, int]], first: int) -> None:
        """Move the strands from `first` on one place to the left."""
        for place in range(first, len(self._awaited)):
            cells[2 * place - 1 : 2 * place + 1] = [("/", self._number(place)), (" ", 0)]

    def _upright(self) -> list[tuple[str, int]]:
        return [cell for _, number in self._awaited for cell in (("|", number), (" ", 0))]

    def _places(self, hash: str) -> list[int]:
        return [place for place, (awaited, _) in enumerate(self._awaited) if awaited == hash]

    def _number(self, place: int) -> int:
        return self._awaited[place][1]

    def _next(self) -> int:
        self._made += 1
        return self._made


def _line(cells: list[tuple[str, int]], hash: str = "") -> Line:
    while cells and cells[-1][0] == " ":
        cells.pop()
    return Line(tuple(cells), hash)
