"""One branch that went on in two places becomes one again."""

from __future__ import annotations

import time
from dataclasses import replace

from agentctx.errors import MemoryCorrupt
from agentctx.memory.memory import Memory
from agentctx.memory.merge.policies import Policy, policy
from agentctx.memory.records import Clash, Commit, CommitKind, Conflict
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store.nodes import JOURNAL
from agentctx.memory.store.paths import HEADS
from agentctx.memory.write.compose import Entry, compose
from agentctx.memory.write.draft import Draft
from agentctx.memory.write.joining import Sides, join
from agentctx.memory.write.writer import put


class _Disagreed(Exception):
    def __init__(self, conflict: Conflict) -> None:
        super().__init__(conflict)
        self.conflict = conflict


def reunite(memory: Memory, name: str, theirs: str, chosen: Policy) -> Commit | Conflict:
    """Merge commit `theirs` into the branch `name`; a conflict moves nothing.

    Raises:
        MemoryCorrupt: what is merged is no memory.
    """
    try:
        return _reunited(memory, name, theirs, chosen)
    except _Disagreed as found:
        return found.conflict


def clashes(memory: Memory, name: str, theirs: str) -> tuple[Clash, ...]:
    """Return all that commit `theirs` and the branch `name` disagree about, whoever settles it.

    Raises:
        MemoryCorrupt: what would be merged is no memory.
    """
    found = _joined(memory, name, memory.snapshot(name), theirs, policy("agent"))
    return found.clashes if isinstance(found, Conflict) else ()


def _reunited(memory: Memory, name: str, theirs: str, chosen: Policy) -> Commit:
    ref, store = f"{HEADS}{name}", memory.store
    with store.transaction("pull", session=memory.author.session) as change:
        ours = Snapshot(store, change.tip(name) or theirs)
        change.move(ref, theirs)  # sees that all of it is a memory; what follows replaces it
        joined = _joined(memory, name, ours, theirs, chosen)
        if isinstance(joined, Conflict):
            raise _Disagreed(joined)
        put(change, ref, joined, ours, Snapshot(store, theirs))
        return joined.record


def _joined(
    memory: Memory, name: str, ours: Snapshot, theirs: str, chosen: Policy
) -> Entry | Conflict:
    there = Snapshot(memory.store, theirs)
    sides = Sides.of(ours, there, Entry(record=_latest(there), files={}))
    return join(sides, _entry(memory, name, ours), chosen)


def _entry(memory: Memory, name: str, ours: Snapshot) -> Entry:
    """Return the record that unites, as our side alone would have it; it seals no more steps."""
    made = compose(
        Draft(contribution=f"United {name} with its other side"),
        kind=CommitKind.MERGE,
        branch=ours.branch,
        view=ours,
        author=memory.author,
        now=time.time(),
    )
    return replace(made, trailers={JOURNAL: ours.mark} if ours.mark else {})


def _latest(view: Snapshot) -> Commit:
    if (latest := view.latest) is None:
        raise MemoryCorrupt(f"commit {view.hash[:12]} holds no record: it is no memory of ours")
    return latest
