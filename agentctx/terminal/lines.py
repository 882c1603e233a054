"""A terminal line and the raw lines that it came from."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Line:
    r"""One shown line; `first` to `last` are the raw lines behind it (1-based, inclusive).

    Raw lines are those of the raw text split at "\n" and nowhere else.
    """

    text: str
    first: int
    last: int


def decode(data: bytes) -> str:
    r"""Return `data` as text: UTF-8, what is not UTF-8 replaced by U+FFFD, a byte order mark dropped.

    UTF-16 is read only after its byte order mark and only where it has as many line ends as the
    bytes have b"\n", so that line numbers mean the same in the text and in the archived bytes.
    """
    if data.startswith(_UTF16):
        wide = data.decode("utf-16", "replace")
        if wide.count("\n") == data.count(b"\n"):
            return wide
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")


def split(text: str) -> tuple[Line, ...]:
    r"""Return the lines of `text` with their numbers; joined by "\n" they are `text` again."""
    texts = text.split("\n")
    return number(texts, range(1, len(texts) + 1))


def number(texts: Sequence[str], numbers: Sequence[int]) -> tuple[Line, ...]:
    """Return one line for each text, each from the one raw line of that number."""
    # What tuple(map(Line, texts, numbers, numbers)) makes, in a third of the time: every
    # observation passes here, and a frozen dataclass is slow to fill through its __init__.
    lines = tuple(map(object.__new__, repeat(Line, len(texts))))
    for name, values in (("text", texts), ("first", numbers), ("last", numbers)):
        deque(map(vars(Line)[name].__set__, lines, values), maxlen=0)
    return lines


def extent(lines: Sequence[Line], start: int, stop: int) -> tuple[int, int]:
    """Return the first and last raw line behind the lines from `start` to before `stop`.

    On a screen, rows further down may come from raw lines further up.
    """
    some = lines[start:stop]
    return min(line.first for line in some), max(line.last for line in some)
