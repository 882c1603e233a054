"""What the model can still see of earlier observations, indexed by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

_NUMBERED = re.compile(r"\s*(\d+)([\u2192:\t|-])")
CANDIDATES = 8
"""Places that are tried for one line: the latest ones, since files change."""


class Key(NamedTuple):
    """A line without its line number: equal keys with one offset are the same run of a file."""

    body: str
    number: int | None


def key(text: str) -> Key:
    """Split the line number that `cat -n`, `grep -n` and file viewers print from the line."""
    if not text or not (text[0].isdigit() or text[0].isspace()):
        return Key(text, None)
    match = _NUMBERED.match(text)
    if match is None or len(match[1]) > 9:
        return Key(text, None)
    return Key(match[2] + text[match.end() :], int(match[1]))


@dataclass(frozen=True, slots=True)
class Shown:
    """One observation as the model sees it: for each screened line its key, None where hidden.

    `numbers` holds the original line number of each; `label` names the observation to a reader,
    `id` is the content id of what the model sees.
    """

    id: str
    label: str
    keys: tuple[Key | None, ...]
    numbers: tuple[int, ...]


class Place(NamedTuple):
    """A line of a shown observation."""

    shown: Shown
    at: int
    order: int


class Window:
    """The observations in the live window, oldest first."""

    def __init__(self, shown: Iterable[Shown] = ()) -> None:
        """Start with these observations."""
        self._places: dict[str, list[Place]] = {}
        self._count = 0
        for one in shown:
            self.add(one)

    def __len__(self) -> int:
        return self._count

    def add(self, shown: Shown) -> None:
        """Append an observation that the model is about to see."""
        for at, line in enumerate(shown.keys):
            if line is not None and line.body.strip():
                self._places.setdefault(line.body, []).append(Place(shown, at, self._count))
        self._count += 1

    def places(self, line: Key) -> Iterator[Place]:
        """Yield the latest places where a line with this body is shown, newest first."""
        yield from self._places.get(line.body, ())[: -CANDIDATES - 1 : -1]

    def age(self, place: Place) -> int:
        """Return how many observations back a place lies; 1 is the latest."""
        return self._count - place.order
