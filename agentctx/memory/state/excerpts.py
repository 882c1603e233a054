"""What is shown of the user's words when all of them together are too long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from agentctx.memory.records import Word
from agentctx.memory.state.constraints import marked

Count = Callable[[str], int]
"""Counts the tokens of a text."""

MARKER = 24
"""Tokens of a marker, and so the least that is worth hiding."""

_MOST = 12  # messages that are cut, each at the price of a marker
_RICH = 4  # of these may have two gaps, the others one
_EDGE = 60  # a first or last line of at most so many tokens is always shown


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A message: runs of its lines, verbatim, and between them the number of lines hidden."""

    word: Word
    pieces: tuple[str | int, ...]

    @property
    def hidden(self) -> int:
        """How many lines are hidden."""
        return sum(piece for piece in self.pieces if isinstance(piece, int))


def excerpts(words: Sequence[Word], budget: int, count: Count) -> tuple[Excerpt, ...]:
    """Return what is shown of each message.

    The latest open message, short messages and lines with constraints or corrections are always
    shown, so that the budget may be exceeded; otherwise the middle of the largest is hidden.
    """
    sizes = {word.id: count(word.text) for word in words}
    excess = sum(sizes.values()) - budget
    found = {word.id: Excerpt(word, (word.text,)) for word in words}
    if excess <= 0:
        return tuple(found[word.id] for word in words)
    for rank, word in enumerate(_largest(words, sizes)):
        if excess <= 0:
            break
        pieces = _cut(word.text, sizes[word.id] - excess, 2 if rank < _RICH else 1, count)
        found[word.id] = Excerpt(word, pieces)
        excess -= sizes[word.id] - sum(count(piece) for piece in pieces if isinstance(piece, str))
    return tuple(found[word.id] for word in words)


def _largest(words: Sequence[Word], sizes: dict[str, int]) -> list[Word]:
    """Return the messages that may be cut, those first that save most; answered ones rather."""
    last = next((word.id for word in reversed(words) if not word.answered), "")
    others = (word for word in words if word.id != last)
    ranked = sorted(others, key=lambda word: (-sizes[word.id] * (1 + word.answered), word.id))
    return ranked[:_MOST]


def _cut(text: str, keep: int, gaps: int, count: Count) -> tuple[str | int, ...]:
    """Return a message without its middle, about `keep` tokens of it beside what must be shown."""
    lines = text.split("\n")
    costs = [count(f"{line}\n") for line in lines]
    shown = marked(lines)
    for edge in (0, -1):
        shown[edge] = shown[edge] or costs[edge] <= _EDGE
    _grow(shown, costs, keep)
    _close(shown, costs, gaps)
    return tuple(_pieces(lines, shown))


def _grow(shown: list[bool], costs: Sequence[int], keep: int) -> None:
    """Show more lines from both ends, in turn, while they fit."""
    left = keep - sum(cost for cost, is_shown in zip(costs, shown, strict=True) if is_shown)
    for near in range((len(costs) + 1) // 2):
        for line in (near, len(costs) - 1 - near):
            if shown[line]:
                continue
            left -= costs[line]
            if left < 0:
                return
            shown[line] = True


def _close(shown: list[bool], costs: Sequence[int], most: int) -> None:
    """Show what lies in all but the largest gaps, and in those that save less than a marker."""
    found: list[tuple[int, range]] = []
    for is_shown, run in groupby(range(len(shown)), key=lambda line: shown[line]):
        lines = list(run)
        if not is_shown:
            found.append((sum(costs[line] for line in lines), range(lines[0], lines[-1] + 1)))
    found.sort(key=lambda gap: (-gap[0], gap[1].start))
    for rank, (saved, gap) in enumerate(found):
        if rank >= most or saved <= MARKER:
            for line in gap:
                shown[line] = True


def _pieces(lines: Sequence[str], shown: Sequence[bool]) -> Iterator[str | int]:
    for is_shown, run in groupby(range(len(lines)), key=lambda line: shown[line]):
        numbers = list(run)
        yield "\n".join(lines[number] for number in numbers) if is_shown else len(numbers)
