"""What a store is made of, for the functions that mend and pack it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentctx.memory.store.disk import Disk
from agentctx.memory.store.history import History
from agentctx.memory.store.objects import Objects
from agentctx.memory.store.refs import Refs
from agentctx.memory.store.repository import Repository
from agentctx.memory.store.wal import Wal


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The files of one memory, each with its noun."""

    folder: Path
    disk: Disk
    repository: Repository
    objects: Objects
    refs: Refs
    wal: Wal
    history: History


def parts(folder: Path, disk: Disk) -> Parts:
    """Return the parts of the memory in a folder; nothing is opened yet."""
    repository = Repository(folder / "memory.git", disk)
    return Parts(
        folder=folder,
        disk=disk,
        repository=repository,
        objects=Objects(repository),
        refs=Refs(repository),
        wal=Wal(folder / "wal.jsonl", disk),
        history=History(folder / "operations.jsonl", disk),
    )
