"""The items of a LangGraph store, as a memory tree holds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.store.base import Item, PutOp, SearchItem, get_text_at_path, tokenize_path

from agentctx.adapters.langgraph import texts as texts
from agentctx.errors import MemoryCorrupt, MemoryStoreError
from agentctx.memory.store import Store

Files = dict[str, str | None]

ITEMS = "items"
CHANGED = "changed.json"  # the names that the commit changed, so that a reader can catch up


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One item as it is stored; `value` is JSON, so that whoever gets it gets a copy."""

    namespace: tuple[str, ...]
    key: str
    value: str
    created_at: str
    updated_at: str
    index: bool | tuple[str, ...] = True

    @property
    def name(self) -> str:
        """What its file is called."""
        return name_of(self.namespace, self.key)

    def item(self) -> Item:
        """Return it as LangGraph knows it."""
        return Item(**self._fields())

    def found(self, score: float | None) -> SearchItem:
        """Return it as the result of a search."""
        return SearchItem(**self._fields(), score=score)

    def parsed(self) -> dict[str, Any]:
        """Return a fresh copy of its value."""
        return dict(texts.loaded(self.value, self.key))

    def words(self) -> str:
        """Return the text by which a query finds it."""
        if self.index is True:
            return "\n".join(_strings(self.parsed()))
        value, paths = self.parsed(), self.index or ()
        return "\n".join(t for p in paths for t in get_text_at_path(value, tokenize_path(p)))

    def _fields(self) -> dict[str, Any]:
        times = {n: datetime.fromisoformat(getattr(self, n)) for n in ("created_at", "updated_at")}
        return {"namespace": self.namespace, "key": self.key, "value": self.parsed(), **times}


def name_of(namespace: tuple[str, ...], key: str) -> str:
    """Return what the file of an item is called: namespaces and keys are any text."""
    return f"{texts.digest(key)}-{texts.digest(*namespace)[:24]}"


def record_of(op: PutOp, before: Record | None, now: str) -> Record:
    """Return what an operation stores.

    Raises:
        MemoryStoreError: the value is no JSON.
    """
    try:
        value = texts.dumped(dict(op.value or {}))
    except (TypeError, ValueError, RecursionError) as error:
        raise MemoryStoreError(f"value of {op.key!r}: {error}: a store holds JSON") from None
    return Record(
        namespace=tuple(op.namespace),
        key=op.key,
        value=value,
        created_at=before.created_at if before else now,
        updated_at=now,
        index=tuple(op.index) if isinstance(op.index, list | tuple) else op.index is not False,
    )


def record_files(record: Record) -> Files:
    """Return the files of an item: one, or as many as a long value takes."""
    fields = {name: getattr(record, name) for name in Record.__slots__}
    path = texts.sharded(ITEMS, record.name)
    return {f"{path}.{n}": part for n, part in enumerate(texts.parts(texts.dumped(fields)))}


class Items:
    """The items that one commit holds."""

    def __init__(self, store: Store, hash: str | None) -> None:
        self._store, self.hash = store, hash

    def get(self, namespace: tuple[str, ...], key: str) -> Record | None:
        """Return an item, None when there is none."""
        return self.named(name_of(namespace, key))

    def named(self, name: str) -> Record | None:
        """Return the item whose file has that name."""
        text = "".join(self._parts(name))
        if not text:
            return None
        row = texts.loaded(text, name)
        try:
            index = row["index"]
            lists = {"index": tuple(index) if isinstance(index, list) else bool(index)}
            return Record(**{**row, **lists, "namespace": tuple(row["namespace"])})
        except (TypeError, KeyError):
            raise MemoryCorrupt(f"{name}: is no item: run agentctx memory verify") from None

    def paths(self, name: str) -> list[str]:
        """Return the files that an item has."""
        path = texts.sharded(ITEMS, name)
        found: list[str] = []
        while self._read(f"{path}.{len(found)}") is not None:
            found.append(f"{path}.{len(found)}")
        return found

    def names(self) -> set[str]:
        """Return the names of all items."""
        files = self._store.files(self.hash, ITEMS) if self.hash else iter(())
        return {path.rpartition("/")[2].partition(".")[0] for path in files}

    def changed(self) -> list[str]:
        """Return the names that this commit changed."""
        return list(texts.loaded(self._read(CHANGED) or "[]", CHANGED))

    def _parts(self, name: str) -> Iterator[str]:
        return (self._read(path) or "" for path in self.paths(name))

    def _read(self, path: str) -> str | None:
        return self._store.read(self.hash, path) if self.hash else None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif value is not None:
        yield str(value)
