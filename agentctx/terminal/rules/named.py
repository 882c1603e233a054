"""The commands that a trigger names, for people to read; the pattern alone decides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product

_MOST = 64
"""Texts that are spelt out of one pattern."""

_ANY = "…"
_CLASSES, _PLACES = "dDsSwWpP", "bBAzZ"
_RUN = re.compile(rf"{_ANY}+")
_WORD = re.compile(r"\w")


def named(trigger: str, room: int) -> str:
    """Return the first commands that a trigger names, at most `room` characters.

    What may be left out is left out; what several begin with is said once: `npm run, test, …`.
    """
    parts = list(_told(commands(trigger) or [trigger]))
    for count in range(len(parts), 0, -1):
        shown = ", ".join([*parts[:count], _ANY] if count < len(parts) else parts)
        if len(shown) <= room:
            return shown
    return parts[0][: room - 1] + _ANY


def commands(trigger: str) -> list[str]:
    """Return commands that a trigger names, in its order; none if it names none."""
    try:
        found = _Pattern(trigger).texts()
    except RecursionError:  # hundreds of groups in each other
        return []
    spelt = (_RUN.sub(_ANY, " ".join(text.split())) for text in found)
    return [text for text in dict.fromkeys(spelt) if _WORD.search(text)]


def _told(found: list[str]) -> Iterator[str]:
    before = ""
    for text in found:
        first, _, rest = text.rpartition(" ")
        yield rest if first and first == before else text
        before = first


class _Pattern:
    """Walks over an RE2 pattern and spells out what it matches, repetitions once."""

    def __init__(self, pattern: str) -> None:
        self._left = pattern

    def texts(self) -> list[str]:
        """Return the texts of all alternatives up to the end of a group."""
        found = self._sequence()
        while self._take("|"):
            found += self._sequence()
        return found

    def _sequence(self) -> list[str]:
        found = [""]
        while self._left and self._left[0] not in "|)":
            atom = self._atom()
            options = [""] if self._optional() else atom
            found = list(islice(map("".join, product(found, options)), _MOST))
        return found

    def _atom(self) -> list[str]:
        if self._take("("):
            return self._group()
        if self._left[0] == "[":
            self._match(r"\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]?")
            return [_ANY]
        if self._left[0] == "\\":
            return [_escaped(self._match(r"\\(?:[pP]\{\w*\}|.?)"))]
        character, self._left = self._left[0], self._left[1:]
        return ["" if character in "^$" else _ANY if character == "." else character]

    def _group(self) -> list[str]:
        self._match(r"\?(?:P?<\w+>|[a-zA-Z-]*[:)])|")
        found = self.texts()
        self._take(")")
        return found if any(map(_WORD.search, found)) else [""]

    def _optional(self) -> bool:
        """Tell whether what came last may be left out, and step over what says so."""
        sign = self._match(r"(?:[*?+]|\{\d+(?:,\d*)?\})?\??")
        return sign[:1] in ("*", "?") or sign.startswith("{0")

    def _take(self, sign: str) -> bool:
        taken = self._left.startswith(sign)
        self._left = self._left.removeprefix(sign)
        return taken

    def _match(self, pattern: str) -> str:
        found = re.match(pattern, self._left, re.DOTALL)
        text = found[0] if found else ""
        self._left = self._left[len(text) :]
        return text


def _escaped(text: str) -> str:
    sign = text[1:2]
    if sign in _PLACES:
        return ""
    return " " if sign == "s" else _ANY if sign in _CLASSES else sign
