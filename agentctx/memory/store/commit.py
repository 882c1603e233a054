"""The moment of an operation: durable in the log first, then seen."""

from __future__ import annotations

from contextlib import suppress

import pygit2

from agentctx.memory.store.operation import Move, Operation
from agentctx.memory.store.parts import Parts
from agentctx.memory.store.repository import writing


def commit(parts: Parts, operation: Operation) -> None:
    """Acknowledge an operation and move its refs, all or none; the lock is held.

    Raises:
        MemoryFull: the disk refused; nothing has happened.
    """
    with writing("a memory operation"):
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
