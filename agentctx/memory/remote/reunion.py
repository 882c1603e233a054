"""One branch that went on in two places becomes one again."""

from __future__ import annotations

import time

from agentctx.errors import MemoryCorrupt
from agentctx.memory import ids
from agentctx.memory.journals import JOURNAL
from agentctx.memory.memory import Memory
from agentctx.memory.merge.policies import Policy
from agentctx.memory.records import Commit, CommitKind, Conflict
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store.paths import HEADS
from agentctx.memory.write.compose import Entry, compose
from agentctx.memory.write.draft import Draft
from agentctx.memory.write.joining import Sides, join


class _Disagreed(Exception):
    def __init__(self, conflict: Conflict) -> None:
        super().__init__(conflict)
        self.conflict = conflict


def reunite(memory: Memory, name: str, theirs: str, policy: Policy) -> Commit | Conflict:
    """Merge commit `theirs` into the branch `name`; a conflict moves nothing.

    Raises:
        MemoryCorrupt: what is merged is no memory.
    """
    try:
        return _reunited(memory, name, theirs, policy)
    except _Disagreed as found:
        return found.conflict


def _reunited(memory: Memory, name: str, theirs: str, policy: Policy) -> Commit:
    ref, store = f"{HEADS}{name}", memory.store
    with store.transaction("pull", session=memory.author.session) as change:
        tip = change.tip(name) or theirs
        change.move(ref, theirs)  # sees that all of it is a memory; what follows replaces it
        ours, there = Snapshot(store, tip), Snapshot(store, theirs)
        base = store.common(tip, theirs)
        entry = compose(
            Draft(contribution=f"United {name} with its other side"),
            kind=CommitKind.MERGE,
            branch=ours.branch,
            view=ours,
            author=memory.author,
            now=time.time(),
        )
        joined = join(
            Sides(
                base=Snapshot(store, base) if base else None,
                ours=ours,
                theirs=there,
                closing=Entry(record=_latest(there), files={}),
            ),
            entry,
            policy,
        )
        if isinstance(joined, Conflict):
            raise _Disagreed(joined)
        sealed = store.node(tip).trailers.get(JOURNAL)
        change.put(
            ref,
            files=joined.files,
            parents=[tip, theirs],
            base=tip,
            title=joined.record.title,
            trailers={**joined.all_trailers, **({JOURNAL: sealed} if sealed else {})},
            at=ids.seconds(joined.record.id),
        )
        return joined.record


def _latest(view: Snapshot) -> Commit:
    if (latest := view.latest) is None:
        raise MemoryCorrupt(f"commit {view.hash[:12]} holds no record: it is no memory of ours")
    return latest
