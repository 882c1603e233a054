"""The objects of a repository as they are: bytes by hash, loose or packed."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import pygit2
from pygit2.enums import ObjectType

from agentctx.errors import MemoryCorrupt, UnknownMemory
from agentctx.memory.store import loose
from agentctx.memory.store.disk import unread
from agentctx.memory.store.repository import Repository

Answer = TypeVar("Answer")

_PREFIX = re.compile(r"[0-9a-f]{4,40}")
_KINDS = {
    "blob": ObjectType.BLOB,
    "tree": ObjectType.TREE,
    "commit": ObjectType.COMMIT,
    "tag": ObjectType.TAG,
}


class Database:
    """What one repository holds. libgit2 reads packs only; it may hang on a loose object."""

    def __init__(self, repository: Repository) -> None:
        """Use the objects of `repository`."""
        self._repository = repository
        self._intact = False

    def size(self, hash: str) -> int:
        """Return how many bytes an object has.

        Raises:
            MemoryCorrupt: it cannot be read.
        """
        try:
            return self._ask(lambda odb: odb.read_header(hash))[1]
        except (pygit2.GitError, KeyError, ValueError) as error:
            raise _damaged(hash, str(error)) from None

    def commit(self, prefix: str) -> str | None:
        """Return the hash of the one commit that begins so, None if there is none or several."""
        if not _PREFIX.fullmatch(prefix):
            return None
        near = loose.beginning(self._repository.objects, prefix)
        if near:  # libgit2 would read them
            found = near[0] if len(near) == 1 and self._kind(near[0]) == ObjectType.COMMIT else None
        else:
            found = self._packed(prefix)
        return found

    def raw(self, hash: str) -> tuple[int, bytes]:
        """Return the kind and the bytes of an object.

        Raises:
            UnknownMemory: there is none of that hash.
            MemoryCorrupt: it is damaged.
            MemoryStoreError: the disk does not tell.
        """
        try:
            return self._loose(hash) or self._ask(lambda odb: odb.read(hash))
        except KeyError:
            raise UnknownMemory(
                f"there is no commit {hash}: agentctx memory history lists them"
            ) from None
        except OSError as error:
            raise unread(f"object {hash}", error) from None
        except (pygit2.GitError, ValueError) as error:
            raise _damaged(hash, str(error)) from None

    def intact(self) -> None:
        """See that libgit2 may walk along the commits: a loose one cut off would keep it forever.

        Raises:
            MemoryCorrupt: there is a damaged object.
        """
        for path in () if self._intact else loose.files(self._repository.objects):
            with suppress(FileNotFoundError):  # packed meanwhile
                if not loose.content(path):
                    raise _damaged(loose.name(path), "it is not what its name says")
        self._intact = True

    def _packed(self, prefix: str) -> str | None:
        try:
            found = self._repository.git.get(prefix)
        except (ValueError, pygit2.GitError):  # several objects begin so
            return None
        return str(found.id) if isinstance(found, pygit2.Commit) else None

    def _kind(self, hash: str) -> int:
        try:
            return self.raw(hash)[0]
        except (UnknownMemory, MemoryCorrupt):
            return 0

    def _loose(self, hash: str) -> tuple[int, bytes] | None:
        if not loose.HASH.fullmatch(hash):
            return None
        path = self._repository.objects / hash[:2] / hash[2:]
        try:
            data = loose.content(path)
        except FileNotFoundError:
            return None
        if not data:
            raise _damaged(hash, "it is not what its name says")
        kind, body = loose.split(data)
        return _KINDS[kind], body

    def _ask(self, question: Callable[[pygit2.Odb], tuple[int, Answer]]) -> tuple[int, Answer]:
        try:
            return question(self._repository.git.odb)
        except (pygit2.GitError, KeyError, OSError):
            git = self._repository.again()  # its pack may have been replaced
        try:
            return question(git.odb)
        except KeyError:
            self._repository.probe()
            raise


def _damaged(hash: str, reason: str) -> MemoryCorrupt:
    return MemoryCorrupt(f"{hash} cannot be read: {reason}: run agentctx memory verify")
