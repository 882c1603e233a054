"""UNDO: which operation is taken back, and where its refs go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentctx.errors import MemoryStoreError, UnknownMemory
from agentctx.memory.records import Step
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store import Store
from agentctx.memory.store.operation import Move, Operation
from agentctx.memory.store.paths import ARCHIVE, HEADS
from agentctx.memory.store.transaction import Transaction

UNDO = "undo"


def chosen(operations: Sequence[Operation], wanted: str | None) -> Operation:
    """Return the operation to take back: the one that begins so, or the newest not taken back yet.

    Args:
        operations: newest first.
        wanted: the start of an id; None for the newest.

    Raises:
        UnknownMemory: there is none.
    """
    if wanted:
        found = [one for one in operations if one.id.startswith(wanted)]
        if len(found) != 1:
            reason = "several begin so" if found else "there is none"
            raise UnknownMemory(
                f"operation {wanted[:40]!r}: {reason}: see agentctx memory operations"
            )
        return found[0]
    undone = {one.kind.removeprefix(f"{UNDO} ") for one in operations}
    done = (one for one in operations if one.moves and not one.kind.startswith(UNDO))
    left = (one for one in done if one.id not in undone)
    if (newest := next(left, None)) is None:
        raise UnknownMemory("nothing to undo: see agentctx memory operations")
    return newest


def back(operation: Operation, change: Transaction) -> tuple[Move, ...]:
    """Return the moves that take an operation back.

    Raises:
        MemoryStoreError: later operations build upon it.
    """
    for move in operation.moves:
        if _now(change, move.ref) != move.new:
            raise MemoryStoreError(
                f"operation {operation.id} cannot be undone: {move.ref} has moved since: "
                "undo the later ones first"
            )
    return tuple(Move(ref=one.ref, old=one.new, new=one.old) for one in operation.moves)


def _now(change: Transaction, ref: str) -> str | None:
    if ref.startswith(HEADS):
        return change.tip(ref.removeprefix(HEADS))
    return change.archived(ref.removeprefix(ARCHIVE))


def sealed(operation: Operation, store: Store) -> Iterator[tuple[str, Sequence[Step]]]:
    """Yield the branches on which an operation made records, each with the steps of the last one."""
    for move in operation.moves:
        if move.new and move.ref.startswith(HEADS):
            view = Snapshot(store, move.new)
            record = view.latest
            yield move.ref.removeprefix(HEADS), view.steps(record) if record else ()
