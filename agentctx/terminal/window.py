"""What the model can still see of earlier results and of its own calls, indexed by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

_NUMBERED = re.compile(r"(?:\s*\d{1,9}[\u2192:\t|-])*\s*(\d{1,9})[\u2192:\t|-]")
_BITS = 32  # of the number of a line within its text
CANDIDATES = 8
"""Places that are tried for one line: the latest ones, since files change."""


# A plain tuple: a window holds one for each of its lines, and the garbage collector lets those be.
Key: TypeAlias = tuple[str, int | None]
"""The body of a line, and the number that `cat -n`, `grep -n` and viewers print before it."""


def key(text: str) -> Key:
    """Split a line into what follows its number, and its number if it has one."""
    if not text or not (text[0].isdigit() or text[0].isspace()):
        return text, None
    match = _NUMBERED.match(text)
    return (text, None) if match is None else (text[match.end() :], int(match[1]))


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
        self._texts: list[tuple[Shown, int]] = []
        self._places: dict[str, tuple[int, ...]] = {}
        self._results = 0

    def add(self, shown: Shown, *, goes_on: bool = False) -> None:
        """Append a text that the model has written or is about to see.

        `goes_on` says that it belongs to the same result as the one before.
        """
        code = len(self._texts) << _BITS
        places = self._places
        for at, line in enumerate(shown.keys):
            if line is not None and line[0] and not line[0].isspace():
                body = line[0]
                places[body] = (code + at, *places.get(body, ())[: CANDIDATES - 1])
        self._texts.append((shown, self._results - goes_on))
        self._results += not (shown.call or goes_on)

    def has(self, body: str) -> bool:
        """Tell whether a line with this body is shown anywhere."""
        return body in self._places

    def places(self, body: str) -> Iterator[Place]:
        """Yield the latest places where a line with this body is shown, newest first."""
        for code in self._places.get(body, ()):
            shown, order = self._texts[code >> _BITS]
            yield Place(shown, code & (1 << _BITS) - 1, order)

    def back(self, place: Place) -> int:
        """Return how many results back a place lies: 1 is the last, 0 the call of the next."""
        return self._results - place.order
