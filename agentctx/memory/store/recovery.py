"""What opening mends: an operation whose process died, and everything after the power went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from agentctx.errors import MemoryFull, MemoryStoreError
from agentctx.memory.store import loose
from agentctx.memory.store.operation import Move, Operation, Put
from agentctx.memory.store.parts import Parts
from agentctx.memory.store.repository import writing


def sound(parts: Parts, recent: Sequence[Operation]) -> bool:
    """Return whether nothing can have been lost since the log began; `recent` is all of the log."""
    refs = parts.refs
    return (
        parts.wal.same_boot
        and not refs.broken()
        and all(parts.objects.has(hash) for hash in refs.all().values())
        and all(refs.get(ref) in values for ref, values in _expected(recent).items())
    )


def _expected(recent: Sequence[Operation]) -> dict[str, tuple[str | None, ...]]:
    """Return what each ref may be: of the last operation it is not known whether its refs moved."""
    values: dict[str, tuple[str | None, ...]] = {}
    for one in recent:
        last = one is recent[-1]
        values |= {move.ref: (move.new, move.old)[: 1 + last] for move in one.moves}
    return values


def settle(parts: Parts, unseen: Sequence[Operation]) -> bool:
    """Move the refs of the last operation if its process died before it could.

    Returns:
        Whether that was possible; if not, all has to be rebuilt.
    """
    if not unseen:
        return True
    moves = [move for move in unseen[-1].moves if parts.refs.get(move.ref) == move.old]
    if not moves:
        return True
    if not all(parts.objects.has(move.new) for move in moves if move.new):
        return False
    with writing("a memory operation"):
        parts.wal.sync()
        parts.refs.move(moves)
    return True


def rebuild(parts: Parts) -> list[str]:
    """Write all objects of the logged operations again, set the refs, and tell what stays lost."""
    recent = parts.wal.recent()
    with writing("a memory operation"):
        for path in damaged(parts):
            parts.disk.unlink(path)
        parts.repository.again()  # libgit2 remembers what it has seen
        lost = [f"commit {put.hash}" for one in recent for put in one.puts if not _put(parts, put)]
        parts.refs.repair()
        lost += [f"ref {ref}" for ref in _refs(parts, recent)]
    return lost


def damaged(parts: Parts) -> list[Path]:
    """Return the loose objects that are not what their names say."""
    return [path for path in loose.files(parts.repository.objects) if not loose.content(path)]


def sweep(parts: Parts) -> None:
    """Remove what writers left that died; the lock is held, so nobody is writing."""
    ours = (parts.folder / f"tmp_{name}" for name in ("wal.jsonl", "operations.jsonl"))
    theirs = parts.repository.objects.glob("tmp_object*")
    for path in (*filter(Path.exists, ours), *theirs, *parts.refs.locks()):
        parts.disk.unlink(path)


def _put(parts: Parts, put: Put) -> bool:
    try:
        return parts.objects.put(put) == put.hash
    except MemoryFull:
        raise
    except MemoryStoreError:
        return False


def _refs(parts: Parts, recent: Sequence[Operation]) -> Iterator[str]:
    """Set every ref to its last acknowledged value and yield those for which that is lost."""
    values: dict[str, list[str | None]] = {ref: [hash] for ref, hash in parts.wal.refs.items()}
    for move in (move for one in recent for move in one.moves):
        values.setdefault(move.ref, [move.old]).append(move.new)
    for ref, known in values.items():
        present = parts.refs.get(ref)
        if present not in known and present and parts.objects.has(present):
            continue  # somebody else's git moved it
        best = next((one for one in reversed(known) if not one or parts.objects.has(one)), None)
        if present != best:
            parts.refs.move([Move(ref, present, best)])
        if best != known[-1]:
            yield ref
