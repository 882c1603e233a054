"""The store of a memory: git objects and refs behind a write-ahead log, under a lock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from threading import Thread

from agentctx.errors import MemoryStoreError
from agentctx.files import private_folder
from agentctx.memory.store import recovery
from agentctx.memory.store import verify as verification
from agentctx.memory.store.boot import boot
from agentctx.memory.store.checkpoint import checkpoint
from agentctx.memory.store.commit import commit
from agentctx.memory.store.disk import Disk
from agentctx.memory.store.lock import Lock
from agentctx.memory.store.nodes import Node
from agentctx.memory.store.operation import Move, Operation
from agentctx.memory.store.parts import Parts, parts
from agentctx.memory.store.paths import ARCHIVE, HEADS, head
from agentctx.memory.store.repository import writing
from agentctx.memory.store.transaction import Transaction

__all__ = ["Move", "Node", "Operation", "Store", "Transaction"]

_FEW = 64  # operations that are worth a pack when the store closes


class Store:
    """One memory on disk, for any number of threads and processes at once.

    Nothing is opened or made before it is first used. Reads take no lock.
    """

    def __init__(
        self, folder: Path, *, clock: Callable[[], float] = time.time, disk: Disk | None = None
    ) -> None:
        """Use the memory in `folder`; `disk` is what it writes by."""
        self.folder, self._clock = folder, clock
        self._all = parts(folder, disk or Disk())
        self._lock = Lock(folder / "lock")
        self._opened, self._due = False, False
        self._packing: Thread | None = None

    def __enter__(self) -> Store:
        """Return the store; it closes at the end of the block."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close the store."""
        self.close()

    def tip(self, branch: str) -> str | None:
        """Return the hash of a branch's latest commit, None if there is no such branch."""
        return self._parts.refs.get(head(branch))

    def archived(self) -> Mapping[str, str]:
        """Return the latest commits of the merged and abandoned branches by name, sorted."""
        return self._named(ARCHIVE)

    def branches(self) -> Mapping[str, str]:
        """Return the latest commits of the branches by name, sorted."""
        return self._named(HEADS)

    def node(self, hash: str) -> Node:
        """Return a commit.

        Raises:
            UnknownMemory: there is none of that hash.
            MemoryCorrupt: it cannot be read.
        """
        return self._parts.objects.node(hash)

    def read(self, hash: str, path: str) -> str | None:
        """Return the text of a file in the tree of a commit, None if it has no such file.

        Raises:
            UnknownMemory: there is no such commit.
            MemoryCorrupt: a tree on the way, or the file, is none of ours.
        """
        objects = self._parts.objects
        entry = objects.find(objects.node(hash).tree, path)
        return objects.text(entry.hash, path) if entry and not entry.folder else None

    def files(self, hash: str, folder: str = "") -> Iterator[str]:
        """Yield the paths of the files in a folder of a commit's tree.

        Raises:
            UnknownMemory: there is no such commit.
            MemoryCorrupt: a tree is none of ours.
        """
        objects = self._parts.objects
        return objects.files(objects.node(hash).tree, folder)

    def walk(self, hash: str) -> Iterator[Node]:
        """Yield a commit and its first parents, newest first.

        Raises:
            UnknownMemory: there is no such commit.
            MemoryCorrupt: one of them cannot be read.
        """
        following: tuple[str, ...] = (hash,)
        while following:
            node = self.node(following[0])
            following = node.parents
            yield node

    def common(self, one: str, other: str) -> str | None:
        """Return the best common ancestor of two commits, None if they have none.

        Raises:
            UnknownMemory: one of them is not there.
        """
        for hash in (one, other):
            self.node(hash)
        self._parts.objects.intact()
        found = self._parts.repository.git.merge_base(one, other)
        return str(found) if found else None

    def contains(self, hash: str) -> bool:
        """Return whether there is a commit of that hash."""
        return self._parts.objects.has(hash)

    def resolve(self, prefix: str) -> str | None:
        """Return the hash of the one commit that begins so, None if there is none or several."""
        return self._parts.objects.commit(prefix)

    @contextmanager
    def transaction(self, kind: str, *, session: str = "") -> Iterator[Transaction]:
        """Hold the lock for one operation; it is durable, and all of it seen, once this leaves.

        Nothing at all happens if the block raises.

        Raises:
            MemoryLocked: another process holds the lock for too long.
            MemoryFull: the disk refused; nothing has happened.
        """
        with self._locked():
            made = Transaction(self._all, kind=kind, session=session, at=self._clock())
            yield made
            operation = made.operation()
            if operation:
                commit(self._all, operation)
        self._pack_when_due()

    @contextmanager
    def maintenance(self) -> Iterator[Parts]:
        """Hold the lock, and hand out the parts, for what rewrites or packs everything."""
        self._join()
        with self._locked():
            yield self._all

    def operations(self, limit: int | None = None) -> Iterator[Operation]:
        """Yield what was done, newest first, at most `limit` of it."""
        return islice(self._operations(), limit)

    def checkpoint(self) -> None:
        """Pack what is loose and begin a new log; nothing if another process is at it.

        Raises:
            MemoryFull: the disk refused; the log stays as it was.
        """
        self._join()
        checkpoint(self._parts, self._locked)
        self._due = False

    def verify(self) -> Iterator[str]:
        """Yield what is wrong, one line each; nothing if all is well."""
        return verification.verify(self._parts)

    def close(self) -> None:
        """Wait for the packing and let go of all files."""
        self._join()
        if self._all.wal.count >= _FEW:
            self._pack()
        self._all.wal.close()
        self._all.repository.close()
        self._opened = False

    @property
    def _parts(self) -> Parts:
        if not self._opened:
            with self._locked():
                pass
            self._pack_when_due()
        return self._all

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with ExitStack() as stack:
            with writing(f"the memory in {str(self.folder)!r}"):
                private_folder(self.folder)
                stack.enter_context(self._lock)
                stack.callback(self._all.wal.rest)
                self._catch_up()
            yield

    def _catch_up(self) -> None:
        if not self._opened:
            self._all.repository.make()
            recovery.sweep(self._all)
        unseen = self._all.wal.catch_up(self._all.refs.all)
        sound = self._opened or recovery.sound(self._all, unseen)
        if not (sound and recovery.settle(self._all, unseen)):
            lost = recovery.rebuild(self._all)
            self._due = bool(boot()) and not lost
        self._opened = True

    def _named(self, prefix: str) -> Mapping[str, str]:
        found = self._parts.refs.all(prefix)
        return {ref.removeprefix(prefix): hash for ref, hash in found.items()}

    def _operations(self) -> Iterator[Operation]:
        recent = self._parts.wal.recent()
        yield from (operation.slim for operation in reversed(recent))
        known = {operation.id for operation in recent}  # a checkpoint may be between the two
        yield from (one for one in self._all.history.newest() if one.id not in known)

    def _pack_when_due(self) -> None:
        busy = self._packing is not None and self._packing.is_alive()
        if (self._due or self._all.wal.due) and not busy:
            self._packing = Thread(target=self._pack, name="agentctx-pack")
            self._packing.start()

    def _pack(self) -> None:
        self._due = False
        with suppress(MemoryStoreError):  # the log keeps everything until the next one
            checkpoint(self._all, self._locked)

    def _join(self) -> None:
        if self._packing is not None:
            self._packing.join()
        self._packing = None
