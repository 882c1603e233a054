"""Which lines of a message are standing constraints or corrections; they are quoted, never reworded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_ANYWHERE = re.compile(
    r"\b(?:must|mustn['’]?t|never|always|do not|don['’]?t|may not|shall|should not|shouldn['’]t"
    r"|not allowed|forbidden|required|make sure|ensure|avoid|without|instead|rather than"
    r"|from now on|no longer|no more than|at most|at least|unchanged|only)\b",
    re.IGNORECASE,
)
# An imperative counts where a sentence begins: "I use it" is no constraint, "Use it" is one.
_LEADING = re.compile(
    r"(?:^[\s>*•+–\-\d.)\]]*|[.!?;:,]\s+)(?:(?:and|also|but|then|please|now|ok|okay)[,\s]+)*"
    r"(?:use|keep|leave|stick|stay|prefer|limit|restrict|respect|preserve|follow|stop|undo|revert"
    r"|no|not|nope|actually|wait|rather)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_BULLET = re.compile(r"\s*(?:[-*•+–]|\d+[.)])\s")
_ENDED = (".", "!", "?", ";", ":")


def standing(text: str) -> tuple[str, ...]:
    """Return the lines of a message that hold beyond the moment, verbatim, each once.

    It is a highlight and errs on the side of too many: the message itself is kept anyway.
    """
    lines = text.split("\n")
    found = (line.strip() for line, held in zip(lines, marked(lines), strict=True) if held)
    return tuple(dict.fromkeys(line for line in found if line))


def marked(lines: Sequence[str]) -> list[bool]:
    """Tell for each line whether it is, or continues, a constraint; code between fences is none."""
    fenced = _fenced(lines)
    found: list[bool] = []
    for number, line in enumerate(lines):
        held = number not in fenced and (_says(line) or _continues(lines, number, found))
        found.append(held)
    return found


def _says(line: str) -> bool:
    return bool(_ANYWHERE.search(line) or _LEADING.search(line))


def _continues(lines: Sequence[str], number: int, found: Sequence[bool]) -> bool:
    """Tell whether a line goes on with the constraint before it: a list's item, a wrapped line."""
    if not number or not found[-1]:
        return False
    line, before = lines[number], lines[number - 1].rstrip()
    if _BULLET.match(line):
        return _listed(lines, number)
    return line.strip()[:1].islower() and not before.endswith(_ENDED)


def _listed(lines: Sequence[str], number: int) -> bool:
    above = number - 1
    while above >= 0 and _BULLET.match(lines[above]) and not lines[above].rstrip().endswith(":"):
        above -= 1
    return above >= 0 and lines[above].rstrip().endswith(":") and _says(lines[above])


def _fenced(lines: Sequence[str]) -> set[int]:
    fences = [number for number, line in enumerate(lines) if _FENCE.match(line)]
    return {number for pair in _pairs(fences) for number in range(pair[0], pair[1] + 1)}


def _pairs(fences: Sequence[int]) -> Iterator[tuple[int, int]]:
    return zip(fences[::2], fences[1::2], strict=False)  # one that is never closed is no fence
