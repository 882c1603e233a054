"""The user's words as a block of text: verbatim, between fences that nothing in them can close."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from agentctx.memory.records import Word
from agentctx.memory.state.excerpts import Count, Excerpt, excerpts

ANSWERED = "Requests already answered; do not redo them, but their constraints still hold:"
OPEN = "Open request, in the user's own words:"
CORRECTED = "Open request, in the user's own words; where they differ, the later words win:"

_RUN = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of the block; `theirs` when they are the user's own."""

    text: str
    theirs: bool = False


def quoted(words: Sequence[Word], *, count: Count, budget: int, frame: int) -> tuple[Part, ...]:
    """Return the user's words, answered ones first, the latest open one last.

    Args:
        words: the messages, in order.
        count: counts tokens.
        budget: tokens that their own text may take before the largest are cut.
        frame: tokens that all around it should take; beyond, messages share their fences.
    """
    ordered = sorted(words, key=lambda word: not word.answered)
    shown = excerpts(ordered, budget, count)
    parts = tuple(_groups(shown, together=False))
    wide = count("\n".join(part.text for part in parts if not part.theirs)) > frame
    return tuple(_groups(shown, together=True)) if wide else parts


def fence(texts: Iterable[str]) -> str:
    """Return a fence that is longer than every run of backticks in the texts between it and its twin."""
    runs = (len(run) for text in texts for run in _RUN.findall(text))
    return "`" * (max(runs, default=2) + 1)


def _groups(shown: Sequence[Excerpt], *, together: bool) -> Iterator[Part]:
    for answered, group in groupby(shown, key=lambda one: one.word.answered):
        found = list(group)
        yield Part(ANSWERED if answered else OPEN if len(found) == 1 else CORRECTED)
        for region in [found] if together else [[one] for one in found]:
            yield from _region(region)


def _region(group: Sequence[Excerpt]) -> Iterator[Part]:
    border = fence(one.word.text for one in group)
    yield Part(border)
    for number, one in enumerate(group):
        if number:
            yield Part("")
        yield from _lines(one)
    yield Part(border)


def _lines(one: Excerpt) -> Iterator[Part]:
    largest = max((piece for piece in one.pieces if isinstance(piece, int)), default=0)
    named = False
    for piece in one.pieces:
        if isinstance(piece, str):
            yield Part(piece, theirs=True)
            continue
        name = "" if named or piece < largest else f" · memory id {one.word.id}"
        named = named or bool(name)
        yield Part(f"[agentctx: {piece} lines hidden{name}]")
