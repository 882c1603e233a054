"""MERGE: what two branches made of one state, put together by meaning instead of by line.

Source: Git-Context-Controller, §2.2 (MERGE), which leaves conflicts open. Records and log slices
are immutable files of their own, so that their union is that of their names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentctx.memory.merge.metadata import merge_metadata
from agentctx.memory.merge.policies import POLICIES, Policy, policy
from agentctx.memory.merge.roadmaps import merge_roadmaps
from agentctx.memory.records import Word

__all__ = ["POLICIES", "Policy", "merge_metadata", "merge_roadmaps", "merge_words", "policy"]


def merge_words(
    base: Iterable[Word], ours: Iterable[Word], theirs: Iterable[Word]
) -> tuple[Word, ...]:
    """Return the user's words of both sides in the order in which they were said.

    Answered on one side is answered. Words that a side removed, since their request is finished,
    are gone unless the other has changed them.
    """
    was, here, there = ({word.id: word for word in side} for side in (base, ours, theirs))
    found = (_merged(was.get(id), here.get(id), there.get(id)) for id in sorted({*here, *there}))
    return tuple(word for word in found if word)


def _merged(base: Word | None, ours: Word | None, theirs: Word | None) -> Word | None:
    if ours and theirs:
        latest = theirs if base == ours else ours
        return replace(latest, answered=ours.answered or theirs.answered)
    left = ours or theirs
    return None if left == base else left
