"""LangGraph's long-term store: JSON values by namespace and key, every change a commit."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, Op, PutOp, SearchOp

from agentctx.adapters.langgraph import texts as texts
from agentctx.adapters.langgraph.items import (
    CHANGED,
    Files,
    Items,
    name_of,
    record_files,
    record_of,
)
from agentctx.adapters.langgraph.search import Catalogue
from agentctx.adapters.langgraph.threads import opened
from agentctx.errors import MemoryStoreError
from agentctx.memory.store import Transaction
from agentctx.twins import twin

_BRANCH = "items"
_REF = f"refs/heads/{_BRANCH}"


class AgentctxStore(BaseStore):
    """Keeps what agents know across threads, and every earlier value of it.

    A batch is one commit: all of it, or nothing. Its reads see what was there before its puts. A
    query ranks the items by its words (BM25); there are no embeddings and no expiry.
    """

    supports_ttl = False

    def __init__(self, data: Path | str | None = None) -> None:
        """Use a data folder, which is made if need be; all else waits until it is used.

        Args:
            data: the data folder; the default is that of the settings.

        Raises:
            ConfigError: the settings or the folder cannot be used.
        """
        self._store = opened(data)
        self._catalogue = Catalogue(self._store)

    def batch(self, ops: Iterable[Op]) -> list[Any]:
        """Return the result of each operation, in their order.

        Raises:
            MemoryStoreError: a value is no JSON, a filter is wrong, or the disk refused.
            NotImplementedError: an item is to expire.
        """
        ops = list(ops)
        puts = {(tuple(op.namespace), op.key): op for op in ops if isinstance(op, PutOp)}
        if any(op.ttl is not None for op in puts.values()):
            raise NotImplementedError("items of AgentctxStore do not expire: put them without ttl")
        if not puts:
            return self._read(ops, self._store.tip(_BRANCH))
        with self._store.transaction("langgraph put") as transaction:
            tip = transaction.tip(_BRANCH)
            results = self._read(ops, tip)
            self._write(transaction, puts, tip)
        return results

    abatch = twin(batch)

    def history(self, namespace: tuple[str, ...], key: str) -> list[Item]:
        """Return every value that a key has had, newest first, deleted ones too."""
        if (tip := self._store.tip(_BRANCH)) is None:
            return []
        name, found = name_of(tuple(namespace), key), []
        for node in self._store.walk(tip):
            items = Items(self._store, node.hash)
            if name in items.changed() and (record := items.named(name)):
                found.append(record.item())
        return found

    def undo(self) -> None:
        """Take the last batch with puts back.

        Raises:
            MemoryStoreError: there is none.
        """
        with self._store.transaction("langgraph undo") as transaction:
            if (tip := transaction.tip(_BRANCH)) is None:
                raise MemoryStoreError("the store holds nothing to undo: put an item first")
            transaction.move(_REF, next(iter(self._store.node(tip).parents), None))

    def close(self) -> None:
        """Close the files."""
        self._store.close()

    def _read(self, ops: Iterable[Op], tip: str | None) -> list[Any]:
        return [self._answer(op, tip) for op in ops]

    def _answer(self, op: Op, tip: str | None) -> Any:
        if isinstance(op, PutOp):
            return None
        if isinstance(op, GetOp):
            record = Items(self._store, tip).get(tuple(op.namespace), op.key)
            return record.item() if record else None
        if isinstance(op, SearchOp):
            return self._catalogue.search(op, tip)
        if isinstance(op, ListNamespacesOp):
            return self._catalogue.namespaces(op, tip)
        raise MemoryStoreError(f"{type(op).__name__!r} is no operation of a store: use LangGraph's")

    def _write(
        self,
        transaction: Transaction,
        puts: Mapping[tuple[tuple[str, ...], str], PutOp],
        tip: str | None,
    ) -> None:
        items, now = Items(self._store, tip), datetime.now(UTC).isoformat()
        files: Files = {}
        for (namespace, key), op in puts.items():
            before = items.get(namespace, key)
            files |= dict.fromkeys(items.paths(name_of(namespace, key)))
            if op.value is not None:
                files |= record_files(record_of(op, before, now))
        if files:
            names = sorted({path.rpartition("/")[2].partition(".")[0] for path in files})
            transaction.put(
                _REF,
                files={**files, CHANGED: texts.dumped(names)},
                parents=[tip] if tip else [],
                base=tip,
                title=_title(puts.values()),
                trailers={},
                at=time.time(),
            )


def _title(puts: Iterable[PutOp]) -> str:
    ops = list(puts)
    removed = sum(op.value is None for op in ops)
    said = {"Put": len(ops) - removed, "Delete": removed}
    return ", ".join(f"{verb} {n} item{'s' if n > 1 else ''}" for verb, n in said.items() if n)
