"""Branches and archived branches: names for commits, which move only under the lock."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pygit2
from pygit2.enums import ReferenceType

from agentctx.errors import MemoryNameError
from agentctx.memory.store.disk import unread
from agentctx.memory.store.operation import Move
from agentctx.memory.store.paths import ARCHIVE, HEADS
from agentctx.memory.store.repository import Repository


class Refs:
    """The refs of one repository."""

    def __init__(self, repository: Repository) -> None:
        """Use the refs of `repository`."""
        self._repository = repository

    def get(self, ref: str) -> str | None:
        """Return the hash that a ref names, None if there is no such ref or it holds no hash.

        Raises:
            MemoryStoreError: the disk does not tell.
        """
        try:
            found = self._repository.git.references[ref]
        except OSError as error:
            raise unread(ref, error) from None
        except (KeyError, ValueError, pygit2.GitError):
            self._repository.probe()
            return None
        return str(found.target) if found.type == ReferenceType.DIRECT else None

    def all(self, prefix: str = "") -> Mapping[str, str]:
        """Return our refs below a prefix, sorted; those that hold no hash are left out.

        Raises:
            MemoryStoreError: the disk does not tell.
        """
        try:
            names = sorted(self._repository.git.listall_references())
        except (KeyError, OSError, pygit2.GitError) as error:
            raise unread("the list of refs", error) from None
        ours = [name for name in names if name.startswith(prefix or (HEADS, ARCHIVE))]
        return {name: hash for name in ours if (hash := self.get(name))}

    def move(self, moves: Collection[Move]) -> None:
        """Set refs; those that go first make room for those that come."""
        for move in sorted(moves, key=lambda move: move.new is not None):
            self._repository.disk.through(self._set, move.ref, move.new)

    def broken(self) -> list[Path]:
        """Return the files of refs that cannot be read, such as a power cut leaves."""
        return [path for path, ref in self._files() if not self.get(ref)]

    def repair(self) -> None:
        """Remove the files that are no refs any more, and locks whose holder died."""
        for path in [*self.broken(), *self.locks()]:
            self._repository.disk.unlink(path)

    def locks(self) -> Iterator[Path]:
        """Yield the lock files in the folders of our refs."""
        for prefix in (HEADS, ARCHIVE):
            yield from (self._repository.path / prefix).rglob("*.lock")

    def sync(self, refs: Collection[str]) -> None:
        """Make refs durable, and that some are gone."""
        disk, top = self._repository.disk, self._repository.path
        folders = {top}
        for path in (top / ref for ref in sorted(refs)):
            folders |= {folder for folder in path.parents if top in folder.parents}
            with suppress(FileNotFoundError):  # gone, or packed
                descriptor = disk.open(path, os.O_RDWR)
                try:
                    disk.sync(descriptor)
                finally:
                    os.close(descriptor)
        for folder in sorted(folder for folder in folders if folder.is_dir()):
            disk.sync_folder(folder)

    def _set(self, ref: str, hash: str | None) -> None:
        try:
            self._try(ref, hash)
        except (pygit2.GitError, OSError):  # a lock or half a file that a dead process left
            self._mend(ref)
            self._try(ref, hash)

    def _try(self, ref: str, hash: str | None) -> None:
        references = self._repository.git.references
        if hash:
            references.create(ref, hash, force=True)
        else:
            with suppress(KeyError):
                references.delete(ref)

    def _mend(self, ref: str) -> None:
        path = self._repository.path / ref
        self._repository.disk.unlink(path.with_name(f"{path.name}.lock"))
        self._repository.disk.unlink(self._repository.path / "packed-refs.lock")
        if path.is_file() and not self.get(ref):
            self._repository.disk.unlink(path)

    def _files(self) -> Iterator[tuple[Path, str]]:
        for prefix in (HEADS, ARCHIVE):
            for path in (self._repository.path / prefix).rglob("*"):
                if path.is_file() and not path.name.endswith(".lock"):
                    yield path, path.relative_to(self._repository.path).as_posix()


def apart(refs: Collection[str]) -> None:
    """See that no ref would be a folder of another one.

    Raises:
        MemoryNameError: one would.
    """
    for one, other in pairwise(sorted(f"{ref}/" for ref in refs)):
        if other.startswith(one):
            names = [ref.removeprefix(HEADS).removeprefix(ARCHIVE)[:-1] for ref in (one, other)]
            raise MemoryNameError(
                f"{names[1]!r} cannot be a branch beside {names[0]!r}: git keeps branches as files, "
                "and one of these would be a folder: choose a name that does not begin with the other"
            )
