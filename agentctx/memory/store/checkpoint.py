"""A checkpoint: what the log alone made durable becomes durable in git, and the log begins anew."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

import pygit2

from agentctx.errors import MemoryCorrupt, MemoryLocked, UnknownMemory
from agentctx.memory.store import loose, packs, recovery
from agentctx.memory.store.lock import Lock
from agentctx.memory.store.objects import Objects
from agentctx.memory.store.operation import Operation
from agentctx.memory.store.parts import Parts
from agentctx.memory.store.refs import Refs
from agentctx.memory.store.repository import writing

Locked = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class _Packed:
    """What stands in the new pack, and so may go."""

    loose: tuple[Path, ...]
    packs: tuple[Path, ...]


def checkpoint(parts: Parts, locked: Locked) -> None:
    """Pack what is loose; commits wait only while the log is cut. Nothing if another is at it.

    Args:
        parts: the memory.
        locked: takes its lock, and has the log read to its end.

    Raises:
        MemoryFull: the disk refused; the log stays as it was.
    """
    twin = parts.repository.twin()  # libgit2 is used by the other threads meanwhile
    own = replace(parts, repository=twin, objects=Objects(twin), refs=Refs(twin))
    try:
        with (
            writing("a checkpoint of the memory"),
            Lock(parts.folder / "checkpoint.lock", patience=0.0),
        ):
            _run(own, locked)
    except MemoryLocked:
        return
    finally:
        twin.close()


def _run(parts: Parts, locked: Locked) -> None:
    with locked():
        recovery.sweep(parts)
        end, recent = parts.wal.end, parts.wal.recent()
    packed = _packed(parts, locked)
    with locked():
        _cut(parts, end, recent)
    for path in packed.loose:
        parts.disk.unlink(path)
    packs.drop(parts, packed.packs)


def _packed(parts: Parts, locked: Locked) -> _Packed:
    try:
        return _pack(parts)
    except (pygit2.GitError, KeyError, UnknownMemory, MemoryCorrupt):  # an object is damaged
        with locked():
            recovery.rebuild(parts)
    return _pack(parts)


def _pack(parts: Parts) -> _Packed:
    files = tuple(loose.files(parts.repository.objects))
    old = packs.small(parts, sum(path.stat().st_size for path in files))
    hashes = map(loose.name, files)
    name = packs.pack(parts, [*hashes, *(hash for index in old for hash in packs.listed(index))])
    return _Packed(files, tuple(index for index in old if index.stem != name))


def _cut(parts: Parts, end: int, recent: list[Operation]) -> None:
    parts.refs.sync({move.ref for operation in recent for move in operation.moves})
    parts.history.add([operation.slim for operation in recent])
    parts.wal.restart(end, parts.refs.all())
