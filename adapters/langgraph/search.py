"""Finding items of a LangGraph store: by namespace, by filter, by the words of a query."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any

from langgraph.store.base import ListNamespacesOp, MatchCondition, SearchItem, SearchOp

from agentctx.adapters.langgraph.items import Items, Record
from agentctx.errors import MemoryStoreError
from agentctx.memory.store import Store

_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": lambda a, b: a > b,
    "$gte": lambda a, b: a >= b,
    "$lt": lambda a, b: a < b,
    "$lte": lambda a, b: a <= b,
}
_SCHEMA = (
    "CREATE VIRTUAL TABLE found USING fts5"
    "(name UNINDEXED, text, tokenize='porter unicode61 remove_diacritics 2')"
)


class Catalogue:
    """All items in memory, caught up with the store before each search; for several threads."""

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, RLock()
        self._at: str | None = None
        self._records: dict[str, Record] = {}
        self._values: dict[str, dict[str, Any]] = {}
        self._words: sqlite3.Connection | None = None
        self._rows: dict[str, int] = {}

    def search(self, op: SearchOp, at: str | None) -> list[SearchItem]:
        """Return the items that an operation asks for: best first, or newest first.

        Raises:
            MemoryStoreError: an operator of the filter is unknown.
        """
        with self._lock:
            self._catch_up(at)
            prefix, records = tuple(op.namespace_prefix), self._records
            found = [n for n in self._newest() if records[n].namespace[: len(prefix)] == prefix]
            if op.filter:
                found = [name for name in found if _equals_all(self._values[name], op.filter)]
            scored = self._ranked(op.query, found) if op.query else [(n, None) for n in found]
            page = scored[op.offset : op.offset + op.limit]
            return [records[name].found(score) for name, score in page]

    def namespaces(self, op: ListNamespacesOp, at: str | None) -> list[tuple[str, ...]]:
        """Return the namespaces that hold items and match, sorted."""
        with self._lock:
            self._catch_up(at)
            found = {record.namespace for record in self._records.values()}
        conditions = op.match_conditions or ()
        fitting = {n[: op.max_depth] for n in found if all(_fits(c, n) for c in conditions)}
        return sorted(fitting)[op.offset : op.offset + op.limit]

    def _newest(self) -> list[str]:
        """Return the names of all items, those of one batch in the order of their keys."""
        ordered = sorted(self._records.items(), key=lambda each: (each[1].namespace, each[1].key))
        ordered.sort(key=lambda each: each[1].updated_at, reverse=True)
        return [name for name, _ in ordered]

    def _catch_up(self, at: str | None) -> None:
        if at == self._at:
            return
        for name in self._since(at):
            self._take(name, Items(self._store, at).named(name))
        self._at = at

    def _since(self, at: str | None) -> set[str]:
        """Return the names whose items may differ now from those in memory."""
        changed: set[str] = set()
        if at is not None and self._at is not None:
            for node in self._store.walk(at):
                if node.hash == self._at:
                    return changed
                changed |= set(Items(self._store, node.hash).changed())
        return {*self._records, *Items(self._store, at).names()}

    def _take(self, name: str, record: Record | None) -> None:
        if record is None:
            self._records.pop(name, None)
            self._values.pop(name, None)
        else:
            self._records[name], self._values[name] = record, record.parsed()
        if self._words is not None:
            self._index(self._words, name, record)

    def _index(self, words: sqlite3.Connection, name: str, record: Record | None) -> None:
        if (row := self._rows.pop(name, None)) is not None:
            words.execute("DELETE FROM found WHERE rowid = ?", (row,))
        if record is not None:
            text = record.words().encode("utf-8", "replace").decode()
            made = words.execute("INSERT INTO found VALUES (?, ?)", (name, text))
            self._rows[name] = made.lastrowid or 0

    def _ranked(self, query: str, found: list[str]) -> list[tuple[str, float | None]]:
        """Return those that have a word of the query; if none has, those with its text in them."""
        if self._words is None:
            self._words = sqlite3.connect(":memory:", check_same_thread=False)
            self._words.execute(_SCHEMA)
            for name, record in self._records.items():
                self._index(self._words, name, record)
        scores = dict(self._words.execute(*_matching(query)))
        if ranked := [name for name in found if name in scores]:
            ranked.sort(key=lambda name: -scores[name])
            return [(name, scores[name]) for name in ranked]
        part, records = query.casefold(), self._records
        return [(name, None) for name in found if part in records[name].words().casefold()]


def _matching(query: str) -> tuple[str, tuple[str, ...]]:
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query)) or '""'
    return "SELECT name, -bm25(found) FROM found WHERE found MATCH ?", (words,)


def _equals_all(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_equals(value.get(key), one) for key, one in wanted.items())


def _equals(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        if any(str(key).startswith("$") for key in wanted):
            return all(_compares(value, operator, one) for operator, one in wanted.items())
        return isinstance(value, dict) and _equals_all(value, wanted)
    if isinstance(wanted, list | tuple):
        same = isinstance(value, list) and len(value) == len(wanted)
        return same and all(_equals(a, b) for a, b in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _compares(value: Any, operator: str, wanted: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool(value == wanted) is (operator == "$eq")
    if operator not in _COMPARED:
        known = ", ".join(("$eq", "$ne", *_COMPARED))
        raise MemoryStoreError(f"filter operator {operator!r} is unknown: use one of {known}")
    try:
        return bool(_COMPARED[operator](float(value), float(wanted)))
    except (TypeError, ValueError):
        texts_ = isinstance(value, str) and isinstance(wanted, str)
        return texts_ and bool(_COMPARED[operator](value, wanted))


def _fits(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)]
    if condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    return all(b in ("*", a) for a, b in zip(part, path, strict=True))
