"""How many columns a character takes, and the cells that a text fills."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

TAB = 8
_MARKS = 64  # on one cell; a longer heap of marks goes on in the next one, to stay linear

# Blocks that are certainly one column wide: Latin, Greek, Cyrillic, dashes and quotes, arrows and
# mathematics, box drawing and blocks, dingbats of progress bars and test runners, Braille.
_NARROW = (
    " -~\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2190-\u2307\u2500-\u25fc"
    "\u2713-\u2718\u276c-\u2771\u2800-\u28ff"
)
# Blocks that are certainly two columns wide: kana, ideographs, Hangul syllables, full-width forms.
_WIDE = "\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60"

_narrow = re.compile(f"[{_NARROW}]*").fullmatch
_runs = re.compile(f"([{_NARROW}]+)|([{_WIDE}]+)|.", re.DOTALL).finditer


def narrow(text: str) -> bool:
    """Whether each character of `text` is known to take one column (no tab is)."""
    if text.isascii():
        return "\t" not in text
    return _narrow(text) is not None


@lru_cache(maxsize=4096)
def width(char: str) -> int:
    """Return the columns of one character: 0 for marks and joiners, 2 for East Asian wide."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf") or "\u1160" <= char <= "\u11ff":
        return 1 if char == "\xad" else 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def measure(text: str) -> int:
    """Return the columns that `text` takes from the left edge on, its tabs included."""
    if narrow(text):
        return len(text)
    if narrow(text.replace("\t", " ")):
        return len(text.expandtabs(TAB))
    return len(cells(text))


def cells(text: str) -> list[str]:
    """Return `text` as cells from the left edge on.

    A character wider than one column is followed by empty cells, a tab too, and a mark is part of
    the cell before it: joined, the cells are `text`.
    """
    if narrow(text):
        return list(text)
    row: list[str] = []
    for run in _runs(text):
        if run.lastindex == 1:
            row.extend(run[0])
        elif run.lastindex == 2:
            row.extend(half for char in run[0] for half in (char, ""))
        else:
            _add(row, run[0])
    return row


def _add(row: list[str], char: str) -> None:
    columns = TAB - len(row) % TAB if char == "\t" else width(char)
    if columns or not mark(row, len(row), char):
        row.append(char)
        row.extend("" for _ in range(columns - 1))


def mark(row: list[str], at: int, char: str) -> bool:
    """Put a mark on the character that ends left of column `at`; say whether there was one."""
    owner = min(at, len(row)) - 1
    while owner > 0 and not row[owner]:
        owner -= 1
    if owner < 0 or len(row[owner]) > _MARKS:
        return False
    row[owner] += char
    return True
