"""Blobs, trees and commits: checked when they are written and when they are read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from pygit2.enums import ObjectType

from agentctx.errors import MemoryCorrupt, MemoryStoreError, UnknownMemory
from agentctx.memory.store import nodes, trees
from agentctx.memory.store.database import Database
from agentctx.memory.store.nodes import Node
from agentctx.memory.store.operation import Put
from agentctx.memory.store.paths import LOGS, WORDS
from agentctx.memory.store.repository import Repository, writing
from agentctx.memory.store.trees import Entry, Tree

LIMIT, LOG_LIMIT = 1 << 20, 1 << 26
"""Bytes of a file; the second of log slices and the user's words, which nobody can make shorter."""

_CACHED = 4_096

Changes = Mapping[str, "bytes | Changes | None"]


class Objects(Database):
    """The commits, trees and files of one repository."""

    def __init__(self, repository: Repository) -> None:
        """Use the objects of `repository`."""
        super().__init__(repository)
        self._trees: dict[str, Tree] = {}

    def has(self, hash: str) -> bool:
        """Return whether there is a commit of that hash that can be read."""
        try:
            return bool(self.node(hash))
        except (UnknownMemory, MemoryCorrupt):
            return False

    def node(self, hash: str) -> Node:
        """Return a commit.

        Raises:
            UnknownMemory: there is none of that hash.
            MemoryCorrupt: it cannot be read.
        """
        return nodes.read(hash, self._read(hash, ObjectType.COMMIT))

    def tree(self, hash: str) -> Tree:
        """Return a tree all of whose names are allowed.

        Raises:
            MemoryCorrupt: it is not there, or holds what no tree of ours has.
        """
        found = self._trees.get(hash)
        if found is None:
            found = trees.read(self._inner(hash, ObjectType.TREE), f"tree {hash}")
            if len(self._trees) >= _CACHED:
                self._trees.clear()
            self._trees[hash] = found
        return found

    def find(self, tree: str, path: str) -> Entry | None:
        """Return what stands at a path below a tree, None if nothing does."""
        entry: Entry | None = Entry(tree, True)
        for name in path.split("/") if path else ():
            entry = self.tree(entry.hash).get(name) if entry and entry.folder else None
        return entry

    def text(self, hash: str, path: str) -> str:
        """Return the text of a blob; `path` names it in errors.

        Raises:
            MemoryCorrupt: it is not there, is no UTF-8 or too large.
        """
        try:
            if self.size(hash) > (most := limit(path)):
                raise MemoryCorrupt(
                    f"{path!r} is larger than {most >> 20} MiB: no memory of ours is"
                )
            return self._inner(hash, ObjectType.BLOB).decode()
        except UnicodeDecodeError:
            raise MemoryCorrupt(f"{path!r} is no UTF-8: no memory of ours has that") from None

    def files(self, tree: str, folder: str = "") -> Iterator[str]:
        """Yield the paths of all files in a folder below a tree."""
        entry = self.find(tree, folder)
        if entry is None or not entry.folder:
            return
        for name, one in self.tree(entry.hash).items():
            path = f"{folder}/{name}" if folder else name
            if one.folder:
                yield from self.files(tree, path)
            else:
                yield path

    def put(self, put: Put) -> str:
        """Write the blobs, trees and the commit of a put and return the commit's hash.

        Raises:
            MemoryFull: the disk refused.
            MemoryStoreError: a file that no memory may have.
        """
        base = self.node(put.base).tree if put.base else None
        tree = self._changed(base, _nested(put.files), "")
        data = nodes.write(tree or self._write(ObjectType.TREE, b""), *_rest(put))
        return self._write(ObjectType.COMMIT, data)

    def _changed(self, base: str | None, changes: Changes, folder: str) -> str | None:
        """Return the hash of a tree after `changes`, None if nothing is left in it."""
        tree = dict(self.tree(base)) if base else {}
        for name, change in changes.items():
            entry = self._entry(tree.get(name), change, f"{folder}{name}")
            if entry:
                tree[name] = entry
            else:
                tree.pop(name, None)
        return self._write(ObjectType.TREE, trees.write(tree), known=base) if tree else None

    def _entry(self, old: Entry | None, change: bytes | Changes | None, path: str) -> Entry | None:
        if change is None:
            return None
        if isinstance(change, bytes):
            return Entry(self._write(ObjectType.BLOB, change, known=old and old.hash), False)
        if old and not old.folder:
            raise MemoryStoreError(f"{path!r} is a file: it cannot hold files as a folder does")
        below = self._changed(old.hash if old else None, change, f"{path}/")
        return Entry(below, True) if below else None

    def _write(self, kind: ObjectType, data: bytes, known: str | None = None) -> str:
        """Write an object, unless its hash is the one that is known to be there."""
        if known and known == hash_of(kind.name.lower().encode(), data):
            return known
        with writing("a memory object"):
            return str(self._repository.disk.through(self._repository.git.odb.write, kind, data))

    def _read(self, hash: str, kind: ObjectType) -> bytes:
        found, data = self.raw(hash)
        if found != kind:
            raise MemoryCorrupt(f"{hash} is no {kind.name.lower()}: run agentctx memory verify")
        return data

    def _inner(self, hash: str, kind: ObjectType) -> bytes:
        try:
            return self._read(hash, kind)
        except UnknownMemory:
            raise MemoryCorrupt(f"{hash} is missing: run agentctx memory verify") from None


def hash_of(kind: bytes, data: bytes) -> str:
    """Return the hash that git gives to an object."""
    return hashlib.sha1(b"%b %d\0%b" % (kind, len(data), data), usedforsecurity=False).hexdigest()


def limit(path: str) -> int:
    """Return how many bytes a file may have."""
    return LOG_LIMIT if path == WORDS or path.startswith(f"{LOGS}/") else LIMIT


def encoded(path: str, text: str | None) -> bytes | None:
    """Return the bytes of a file that may be stored.

    Raises:
        MemoryStoreError: it is too large or cannot be written as UTF-8.
    """
    try:
        data = None if text is None else text.encode()
    except UnicodeEncodeError as error:
        raise MemoryStoreError(f"{path!r} is no Unicode text ({error.reason}): clean it") from None
    if data and len(data) > (most := limit(path)):
        raise MemoryStoreError(
            f"{path!r} is {len(data):,} bytes, and {most >> 20} MiB is the most: store it in the "
            "archive and write down its handle"
        )
    return data


def _nested(files: Mapping[str, str | None]) -> Changes:
    top: dict[str, bytes | Changes | None] = {}
    for path, text in files.items():
        *folders, name = path.split("/")
        below = top
        for folder in folders:
            below = below.setdefault(folder, {})  # type: ignore[assignment]
        below[name] = encoded(path, text)
    return top


def _rest(put: Put) -> tuple[tuple[str, ...], str, Mapping[str, str], int]:
    return put.parents, put.title, put.trailers, put.at
