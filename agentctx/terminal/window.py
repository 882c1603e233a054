"""What the model can still see of earlier results and of its own calls, indexed by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_NUMBERED = re.compile(r"(?:\s*\d{1,9}[\u2192:\t|-])*\s*(\d{1,9})[\u2192:\t|-]")
CANDIDATES = 8
"""Places that are tried for one line: the latest ones, since files change."""


class Key(NamedTuple):
    """A line without the line number that `cat -n`, `grep -n` and file viewers print before it."""

    body: str
    number: int | None


def key(text: str) -> Key:
    """Split a line into its number, if it has one, and what follows."""
    if not text or not (text[0].isdigit() or text[0].isspace()):
        return Key(text, None)
    match = _NUMBERED.match(text)
    return Key(text, None) if match is None else Key(text[match.end() :], int(match[1]))


@dataclass(frozen=True, slots=True)
class Shown:
    """A text as the model sees it: for each screened line its key, None where hidden.

    `numbers` holds the original line number of each; `label` names the text to a reader, `id` is
    its content id. `call` tells a call of the model's from a result.
    """

    id: str
    label: str
    keys: tuple[Key | None, ...]
    numbers: tuple[int, ...]
    call: bool = False


class Place(NamedTuple):
    """A line of a shown text; `order` counts the results before it."""

    shown: Shown
    at: int
    order: int


class Window:
    """The results in the live window, oldest first, each after the call that it answers."""

    def __init__(self) -> None:
        """Start with an empty window."""
        self._places: dict[str, list[Place]] = {}
        self._results = 0

    def add(self, shown: Shown, *, goes_on: bool = False) -> None:
        """Append a text that the model has written or is about to see.

        `goes_on` says that it belongs to the same result as the one before.
        """
        order = self._results - goes_on
        for at, line in enumerate(shown.keys):
            if line is not None and line.body and not line.body.isspace():
                self._places.setdefault(line.body, []).append(Place(shown, at, order))
        self._results += not (shown.call or goes_on)

    def has(self, body: str) -> bool:
        """Tell whether a line with this body is shown anywhere."""
        return body in self._places

    def places(self, body: str) -> Iterator[Place]:
        """Yield the latest places where a line with this body is shown, newest first."""
        yield from self._places.get(body, ())[: -CANDIDATES - 1 : -1]

    def back(self, place: Place) -> int:
        """Return how many results back a place lies: 1 is the last, 0 the call of the next."""
        return self._results - place.order
