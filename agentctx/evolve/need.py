"""Which of the lines that a rule had hidden were needed."""

from __future__ import annotations

import time
from collections.abc import Iterator

from agentctx.diary import DOUBT_S, Complaint, Diary
from agentctx.evolve.blame import MOST, blamed
from agentctx.stores import Stores
from agentctx.terminal.rules.rule import Rule


def ripe(diary: Diary) -> Iterator[Complaint]:
    """Yield the open complaints of which it is known by now what was needed, or never will be."""
    seen = {one.name: one.at for one in diary.seen()}
    for one in diary.complaints():
        if one.lines or seen.get(one.name, 0) > one.at or time.time() - one.at > DOUBT_S:
            yield one


def needed(complaint: Complaint, rule: Rule, stores: Stores) -> tuple[str, ...]:
    """Return the lines that were asked for, or that hold strings which the agent used afterwards.

    Nothing where that is not known, or where so much was needed that no rule could keep it.
    """
    if complaint.lines:
        return complaint.lines
    used = {one for seen in stores.diary.seen() if seen.name == complaint.name for one in seen.used}
    decision = stores.ledger.reduced(stores.claim(complaint.name))
    if not used or decision is None or not stores.archive.contains(complaint.name):
        return ()
    whole = (1, decision.spans[-1].last)
    hidden = (b.hid(stores.archive, complaint.name, whole) for b in blamed(decision, [rule]))
    found = [text for lines in hidden for text in lines if any(one in text for one in used)]
    return tuple(found) if len(found) <= MOST else ()
