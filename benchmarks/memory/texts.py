"""What is written: steps and records of words that repeat as those of real work do."""

from __future__ import annotations

import random
from functools import cache, lru_cache
from itertools import accumulate

NEEDLE = "wombat"
"""A word in the title of one record in a thousand."""

_RARE = 1_000
_KEPT = 8_192


def title(number: int) -> str:
    """Return the first line of a record; every one is another."""
    rare = f" {NEEDLE}" if number % _RARE == _RARE // 2 else ""
    return f"record {number}{rare} {_words(number, 24)}"


def number(title: str) -> int:
    """Return which record a title is of."""
    return int(title.split()[1])


def record(number: int, size: int = 1_000) -> str:
    """Return a record of `size` characters, its title first."""
    return f"{title(number)}\n\n{_words(number, size)}"[:size].rstrip()


def now(number: int) -> str:
    """Return the section of the roadmap that changes with every record."""
    return f"Record {number} is written; {_words(number + 1, 80)}."


def roadmap(number: int) -> str:
    """Return a `main.md` of a few hundred characters."""
    return f"{_plan()}\n## Now\n{now(number)}\n"


def step(number: int) -> tuple[str, str, str]:
    """Return observation, thought and action of a step: 300 characters together."""
    return _words(number, 200), _words(number + 1, 60), f"pytest -q tests/{number % 97}"


def prepare(numbers: range) -> None:
    """Choose the words of these steps and records now, not while a side is timed."""
    for number in numbers:
        for text in (step, record, roadmap):
            text(number)


def path(number: int) -> str:
    """Return where a record lies in a tree: at most 16 in one folder."""
    return f"commits/{number // 256:03x}/{number // 16 % 16:x}/{number}.md"


@cache
def _plan() -> str:
    boxes = "\n".join(f"- [{'x' if i < 4 else ' '}] {_words(i, 40)}" for i in range(8))
    return f"# {_words(0, 60)}\n\n## Milestones\n{boxes}\n"


@lru_cache(maxsize=_KEPT)
def _words(seed: int, size: int) -> str:
    chosen = random.Random(seed)
    words, weights = _vocabulary()
    return " ".join(chosen.choices(words, cum_weights=weights, k=size // 4))[:size].rstrip()


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    """Return 2,000 words and how often those up to each are used, by Zipf's law."""
    chosen = random.Random(0)
    syllables = [f"{c}{v}" for c in "bcdfghklmnprstvw" for v in "aeiou"]
    words = ["".join(chosen.choices(syllables, k=chosen.randint(1, 4))) for _ in range(2_000)]
    return words, [*accumulate(1 / (rank + 1) for rank in range(len(words)))]
