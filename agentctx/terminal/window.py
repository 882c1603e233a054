"""What the model can still see of earlier results and of its own calls, indexed by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

_NUMBERED = re.compile(r"(?:\s*\d{1,9}[\u2192:\t|-])*\s*(\d{1,9})[\u2192:\t|-]")
LONG = 80
"""Characters from which one line may be a run of its own."""

_BITS = 32  # of the number of a line within its text
CANDIDATES = 8
"""Places that are tried for one line: the latest ones, since files change."""


# A plain tuple: a window holds one for each of its lines, and the garbage collector lets those be.
Key: TypeAlias = tuple[str, int | None]
"""The body of a line, and the number that `cat -n`, `grep -n` and viewers print before it."""


Opening: TypeAlias = str | tuple[str, str]


def key(text: str) -> Key:
    """Split a line into what follows its number, and its number if it has one."""
    if not text or not (text[0].isdigit() or text[0].isspace()):
        return text, None
    match = _NUMBERED.match(text)
    return (text, None) if match is None else (text[match.end() :], int(match[1]))


def opening(body: str, following: str | None) -> Opening | None:
    """Return what a run of lines is looked up by: its first line, if it is long, or its first two.

    None if no run worth a reference begins there. Single short lines stand in too many places.
    """
    if len(body) >= LONG:
        return body
    return None if following is None or not body or body.isspace() else (body, following)


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
        self._places: dict[Opening, tuple[int, ...]] = {}
        self._results = 0

    def add(self, shown: Shown, *, goes_on: bool = False) -> None:
        """Append a text that the model has written or is about to see.

        `goes_on` says that it belongs to the same result as the one before.
        """
        code = len(self._texts) << _BITS
        places = self._places
        for at, (line, following) in enumerate(zip_longest(shown.keys, shown.keys[1:])):
            found = opening(line[0], following and following[0]) if line else None
            if found is not None:
                places[found] = (code + at, *places.get(found, ())[: CANDIDATES - 1])
        self._texts.append((shown, self._results - goes_on))
        self._results += not (shown.call or goes_on)

    @property
    def empty(self) -> bool:
        """Whether no run can be shown here."""
        return not self._places

    def places(self, found: Opening | None) -> Iterator[Place]:
        """Yield the latest places where a run that starts so is shown, newest first."""
        for code in self._places.get(found, ()) if found else ():
            shown, order = self._texts[code >> _BITS]
            yield Place(shown, code & (1 << _BITS) - 1, order)

    def back(self, place: Place) -> int:
        """Return how many results back a place lies: 1 is the last, 0 the call of the next."""
        return self._results - place.order
