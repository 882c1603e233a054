"""Three-way merge of free text by paragraphs, and what a policy makes of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from agentctx.memory.merge.policies import BOTH, OURS, THEIRS, Policy
from agentctx.memory.plan.markdown import paragraphs
from agentctx.memory.records import Clash

Change: TypeAlias = tuple[int, int, tuple[str, ...]]
"""Paragraphs of the base from a first one up to another, and what stands there instead."""

_LIMIT = 1_000
"""Paragraphs that are compared; aligning them takes quadratic time."""


def merge_texts(clash: Clash, policy: Policy) -> tuple[str | None, tuple[Clash, ...]]:
    """Return what becomes of a text, None for nothing, and the clash if it stays open.

    A text that one side alone has changed is that side's. Where both have, changes of different
    paragraphs are made both.
    """
    base, ours, theirs = clash.base, clash.ours, clash.theirs
    if base == ours or ours == theirs:
        return theirs, ()
    if base == theirs:
        return ours, ()
    if base is not None and ours is not None and theirs is not None:
        merged = _woven(*(paragraphs(text) for text in (base, ours, theirs)))
        if merged is not None:
            return "\n\n".join(merged), ()
    answer = policy(clash)
    if answer is None:
        return ours, (clash,)
    choices = {OURS: ours, THEIRS: theirs, BOTH: _both(ours, theirs)}
    return choices.get(answer, answer), ()


def _both(ours: str | None, theirs: str | None) -> str | None:
    if ours is None or theirs is None:
        return theirs if ours is None else ours
    known = set(paragraphs(ours))
    return "\n\n".join([ours, *(one for one in paragraphs(theirs) if one not in known)])


def _woven(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str] | None:
    """Return the paragraphs with the changes of both sides, None when two of them meet."""
    if max(len(base), len(ours), len(theirs)) > _LIMIT:
        return None
    changes = sorted({*_changes(base, ours), *_changes(base, theirs)})
    found: list[str] = []
    at = 0
    last: Change | None = None
    for change in changes:
        start, end, instead = change
        if last and (start < last[1] or (start, end) == last[:2]):
            return None
        found += [*base[at:start], *instead]
        at, last = end, change
    return [*found, *base[at:]]


def _changes(base: Sequence[str], side: Sequence[str]) -> list[Change]:
    matcher = SequenceMatcher(None, base, side, autojunk=False)
    return [
        (i, end, tuple(side[j:stop]))
        for tag, i, end, j, stop in matcher.get_opcodes()
        if tag != "equal"
    ]
