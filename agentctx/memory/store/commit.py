"""The moment of an operation: durable in the log first, then seen."""

from __future__ import annotations

from contextlib import suppress

import pygit2

from agentctx.errors import MemoryStoreError
from agentctx.memory.store.disk import reason
from agentctx.memory.store.operation import Move, Operation
from agentctx.memory.store.parts import Parts
from agentctx.memory.store.repository import writing


def commit(parts: Parts, operation: Operation) -> None:
    """Acknowledge an operation and move its refs, all or none; the lock is held.

    Raises:
        MemoryFull: the disk refused; nothing has happened.
        MemoryStoreError: it refused to take back what had happened, too; the next to lock finishes it.
    """
    with writing("a memory operation"):
        try:
            _done(parts, operation)
        except (OSError, pygit2.GitError) as error:
            if _stays(parts, operation):
                raise MemoryStoreError(
                    f"memory operation {operation.id} ({operation.kind}) is in the log, but not all "
                    f"of it is seen: {reason(error)}, and do not do it again: whoever uses this "
                    "memory next finishes it"
                ) from None
            raise


def _done(parts: Parts, operation: Operation) -> None:
    end = parts.wal.end
    parts.wal.append(operation)
    try:
        parts.refs.move(operation.moves)
    except BaseException as error:
        parts.wal.unsee(end)  # until it is taken back, the next one to lock finishes it
        if isinstance(error, (OSError, pygit2.GitError)):
            _take_back(parts, operation)
        raise


def _take_back(parts: Parts, operation: Operation) -> None:
    with suppress(OSError, pygit2.GitError):
        parts.refs.move([Move(move.ref, move.new, move.old) for move in operation.moves])
        parts.wal.cut()


def _stays(parts: Parts, operation: Operation) -> bool:
    """Return whether an operation that failed may still be in the log."""
    try:
        return any(one.id == operation.id for one in parts.wal.recent())
    except OSError:
        return True
