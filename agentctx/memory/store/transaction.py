"""One operation while it is being made: objects are written, refs wait for its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentctx.errors import MemoryNameError
from agentctx.memory import ids, names
from agentctx.memory.store import nodes
from agentctx.memory.store.adoption import check
from agentctx.memory.store.operation import Move, Operation, Put
from agentctx.memory.store.parts import Parts
from agentctx.memory.store.paths import ARCHIVE, HEADS, archive, head
from agentctx.memory.store.refs import apart


class Transaction:
    """What `Store.transaction` hands out; good until its block ends.

    `title` is what the operation log says of it; by default, that of the last commit.
    """

    def __init__(self, parts: Parts, *, kind: str, session: str, at: float) -> None:
        """Begin an operation; the lock is held."""
        self.id, self.title = ids.new(at, after=parts.wal.last), ""
        self._parts, self._kind, self._session, self._at = parts, kind, session, at
        self._new: dict[str, str | None] = {}
        self._puts: list[Put] = []

    def tip(self, branch: str) -> str | None:
        """Return the commit that a branch names, as this operation leaves it."""
        return self._value(head(branch))

    def archived(self, branch: str) -> str | None:
        """Return the commit that an archived branch names, as this operation leaves it."""
        return self._value(archive(branch))

    def ref(self, ref: str) -> str | None:
        """Return the commit that a ref names, as this operation leaves it."""
        return self._value(_ref(ref))

    def put(
        self,
        ref: str,
        *,
        files: Mapping[str, str | None],
        parents: Sequence[str],
        base: str | None,
        title: str,
        trailers: Mapping[str, str],
        at: float,
    ) -> str:
        """Write a commit, let `ref` name it, and return its hash.

        Args:
            ref: a full name, `refs/heads/…` or `refs/archive/…`; see `paths.head` and `archive`.
            files: texts by path, put on the tree of `base`; None removes a file.
            parents: hashes of the commits before it.
            base: the commit whose tree it begins with; None is an empty one.
            title: its first line.
            trailers: its `Name: value` lines.
            at: seconds since 1970.

        Raises:
            MemoryNameError: a ref or a path that no memory may have.
            UnknownMemory: a parent or the base is not there.
            MemoryFull: the disk refused.
        """
        name = _ref(ref)
        for parent in parents:
            self._parts.objects.node(parent)
        put = Put(
            hash="",
            base=base,
            parents=tuple(parents),
            files=dict(files),
            title=nodes.line(title),
            trailers={key: nodes.line(value) for key, value in trailers.items()},
            at=int(at),
        )
        put = put.named(self._parts.objects.put(put))
        self._puts.append(put)
        self._new[name] = put.hash
        return put.hash

    def move(self, ref: str, hash: str | None) -> None:
        """Let a ref name a commit that exists durably, such as a fetched one; None removes the ref.

        Raises:
            MemoryNameError: a ref that no memory may have.
            UnknownMemory: there is no such commit.
            MemoryCorrupt: something in its history is none of ours.
        """
        name = _ref(ref)
        if hash is not None and hash not in {put.hash for put in self._puts}:
            check(self._parts, hash)
        self._new[name] = hash

    def operation(self) -> Operation | None:
        """Return all of it, None when it changes nothing.

        Raises:
            MemoryNameError: two refs that git cannot keep beside each other.
        """
        refs = self._parts.refs
        moves = (Move(ref, refs.get(ref), new) for ref, new in self._new.items())
        changes = tuple(move for move in moves if move.old != move.new)
        if not changes:
            return None
        if any(move.old is None for move in changes):  # only a new name can be in another's way
            after = {**refs.all(), **self._new}
            apart([ref for ref, hash in after.items() if hash])
        return Operation(
            id=self.id,
            kind=self._kind,
            session=self._session,
            at=self._at,
            moves=changes,
            title=nodes.line(self.title) or (self._puts[-1].title if self._puts else ""),
            puts=tuple(self._puts),
        )

    def _value(self, ref: str) -> str | None:
        return self._new[ref] if ref in self._new else self._parts.refs.get(ref)


def _ref(ref: str) -> str:
    for prefix in (HEADS, ARCHIVE):
        if ref.startswith(prefix):
            names.branch(ref.removeprefix(prefix))
            return ref
    raise MemoryNameError(f"{ref!r} is no ref of a memory: begin it with {HEADS!r} or {ARCHIVE!r}")
