"""How the search index catches up with the git commits of a memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlalchemy import Connection, Engine

from agentctx import db
from agentctx.errors import MemoryCorrupt
from agentctx.memory import texts
from agentctx.memory.recall import tables
from agentctx.memory.recall.source import Source
from agentctx.memory.recall.terms import Text, text
from agentctx.memory.records import Commit
from agentctx.memory.store.nodes import Node, reached
from agentctx.memory.store.paths import TRUSTED, log_path

_BATCH = 256  # records that are indexed in one transaction


def catch_up(engine: Engine, store: Source, branches: Mapping[str, str]) -> None:
    """Index what is new on branches, given by the hash of their newest git commit.

    Raises:
        LedgerError: the index cannot be written.
        MemoryStoreError: the memory cannot be read.
    """
    with db.reading(engine) as connection:
        before = tables.tips(connection)
        if before == branches:
            return
        new, known = _new(store, branches.values(), connection)
    moved_on = {*known, *branches.values()}.issuperset(before.values())
    reachable = None if moved_on else {node.hash for node in reached(branches.values(), store.node)}
    batches = [new[i : i + _BATCH] for i in range(0, len(new), _BATCH)] or [[]]
    for batch in batches:
        read = [(node.hash, *_read(store, node)) for node in batch]
        with db.writing(engine) as connection:
            for one in read:
                tables.add(connection, *one)
            if batch is batches[-1]:
                if reachable is not None:
                    tables.prune(connection, reachable)
                tables.settle(connection, branches, _trusted(store, branches.values()))


def _new(store: Source, tips: Iterable[str], connection: Connection) -> tuple[list[Node], set[str]]:
    """Return the git commits that are not indexed, parents first, and the indexed ones they follow."""
    new: list[Node] = []
    known, seen = set[str](), set[str]()
    waiting: list[str | Node] = [*tips]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Node):
            new.append(one)  # all of its parents are there by now
        elif one not in seen:
            seen.add(one)
            if tables.knows(connection, one):
                known.add(one)
            else:
                node = store.node(one)
                waiting += [node, *node.parents[::-1]]
    return new, known


def _read(store: Source, node: Node) -> tuple[Commit | None, Text | None]:
    """Return the record of a git commit and its words; a damaged one cannot be searched for."""
    try:
        found = store.read(node.hash, node.path) if node.path else None
        if found is None:
            return None, None
        commit = texts.read_commit(found)
        log = store.read(node.hash, log_path(commit)) if commit.steps else None
        return commit, text(commit, texts.read_steps(log or ""))
    except MemoryCorrupt:
        return None, None


def _trusted(store: Source, tips: Iterable[str]) -> Iterator[str]:
    return (id for tip in tips for id in (store.read(tip, TRUSTED) or "").split())
