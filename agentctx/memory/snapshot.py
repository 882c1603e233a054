"""Snapshot: what a memory held at one of its git commits, read when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from agentctx.errors import MemoryCorrupt, UnknownMemory
from agentctx.memory import texts
from agentctx.memory.ids import ID
from agentctx.memory.plan import roadmap
from agentctx.memory.records import Branch, Commit, Metadata, Roadmap, Step, Word
from agentctx.memory.store import Store
from agentctx.memory.store.nodes import Node
from agentctx.memory.store.paths import (
    BRANCH,
    COMMITS,
    METADATA,
    ROADMAP,
    TRUSTED,
    WORDS,
    log_path,
    metadata_path,
)
from agentctx.values import Trust

_SHORTEST = 4


class Snapshot:
    """A read view of one git commit; `hash` names it."""

    def __init__(self, store: Store, hash: str) -> None:
        """Look at the memory as it was at `hash`; nothing is read before it is asked for."""
        self.store, self.hash = store, hash
        self._read: dict[str, Commit | None] = {}

    @cached_property
    def branch(self) -> Branch:
        """The branch that the commit was made on."""
        text = self.store.read(self.hash, BRANCH)
        if text is None:
            raise MemoryCorrupt(f"{self.hash[:12]} has no {BRANCH}: run agentctx memory verify")
        return texts.read_branch(text)

    @cached_property
    def roadmap(self) -> Roadmap:
        """`main.md`."""
        return roadmap.read(self.store.read(self.hash, ROADMAP) or "")

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The user's messages about the work that was open."""
        return texts.read_words(self.store.read(self.hash, WORDS) or "")

    @cached_property
    def trusted(self) -> frozenset[str]:
        """Ids of the records that a person has trusted."""
        return frozenset((self.store.read(self.hash, TRUSTED) or "").split())

    @cached_property
    def latest(self) -> Commit | None:
        """The newest record."""
        return self.record_of(self.store.node(self.hash))

    @property
    def mark(self) -> str:
        """Up to where the journal of its branch is sealed."""
        return self.store.node(self.hash).mark

    def record(self, name: str) -> Commit:
        """Return a record of this branch by its id, the start of it, or its git hash.

        Raises:
            UnknownMemory: there is none, or several begin so.
        """
        if (found := self._by_id(name)) is not None:
            return found
        hash = self.store.resolve(name) if len(name) >= _SHORTEST else None
        if hash is None or (record := self.record_of(self.store.node(hash))) is None:
            raise UnknownMemory(
                f"no record {name[:40]!r} on {self.branch.name!r}: see agentctx memory history"
            )
        return record

    def records(self, start: str = "", k: int = 1) -> Sequence[Commit]:
        """Return up to `k` records, newest first, from the one with id `start` on ("": latest)."""
        return list(islice(self.since(start), k))

    def since(self, start: str = "") -> Iterator[Commit]:
        """Yield the records along the branch, newest first, from the one with id `start` on."""
        begun = not start
        for node in self.store.walk(self.hash):
            begun = begun or node.id == start
            if begun and (record := self.record_of(node)) is not None:
                yield record

    def steps(self, commit: Commit) -> tuple[Step, ...]:
        """Return the log slice that a record sealed."""
        text = self.store.read(self.hash, log_path(commit)) if commit.steps else None
        return tuple(texts.read_steps(text or ""))

    def segments(self) -> tuple[str, ...]:
        """Return the names of the metadata segments."""
        paths = self.store.files(self.hash, METADATA)
        return tuple(sorted(path.removeprefix(f"{METADATA}/")[: -len(".yaml")] for path in paths))

    def metadata(self, name: str) -> Metadata:
        """Return one metadata segment.

        Raises:
            UnknownMemory: there is none of that name.
        """
        text = self.store.read(self.hash, metadata_path(name))
        if text is None:
            known = ", ".join(self.segments()) or "none yet"
            raise UnknownMemory(f"no metadata segment {name!r}: there are: {known}")
        return texts.load(text)

    def _by_id(self, name: str) -> Commit | None:
        if not ID.match(f"{name}{'0' * 16}"):
            return None
        found = [
            path
            for path in self.store.files(self.hash, COMMITS)
            if path.rpartition("/")[2].startswith(name)
        ]
        if len(found) > 1:
            raise UnknownMemory(f"several records begin with {name!r}: give more of the id")
        return self._at(found[0]) if found else None

    def record_of(self, node: Node) -> Commit | None:
        """Return the record that a git commit of this branch holds."""
        return self._at(node.path) if node.path else None

    def _at(self, path: str) -> Commit | None:
        if path not in self._read:
            text = self.store.read(self.hash, path)
            self._read[path] = self._judged(texts.read_commit(text)) if text else None
        return self._read[path]

    def _judged(self, record: Commit) -> Commit:
        if record.id in self.trusted:
            return replace(record, quarantined=False, trust=max(record.trust, Trust.USER))
        return record
