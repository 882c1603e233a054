"""A LangGraph thread in a memory tree: checkpoints, what their channels held, pending writes.

`thread.json` says the thread's own name, `n/` the latest checkpoint of each namespace, `c/` holds
the checkpoints, `w/` the writes on them by task, `v/` every longer value once, by its content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from agentctx.adapters.langgraph import texts as texts
from agentctx.adapters.langgraph.texts import Slot
from agentctx.errors import MemoryCorrupt
from agentctx.memory.store import Store

Version = str | int | float
Value = tuple[Version, Slot]
Files = dict[str, str | None]

THREADS = "threads/"

NAME, WRITES = "thread.json", "w"

_LATEST, _ENTRIES = "n", "c"
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # as LangGraph makes them


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One checkpoint.

    Attributes:
        ns: its namespace.
        id: its id, greater than those of the checkpoints before it.
        parent: the id of the checkpoint before it, "" for none.
        checkpoint: itself, without the values of its channels.
        metadata: what was noted with it.
        values: what each channel held, and in which version, for those that held something.
        deltas: the channels whose state is the sum of the writes on the checkpoints before.
        run: the run that made it.
        hidden: whether it was deleted, and only channels that later ones build on are left.
    """

    ns: str
    id: str
    parent: str = ""
    checkpoint: Slot = ""
    metadata: Slot = ""
    values: Mapping[str, Value] = field(default_factory=dict)
    deltas: tuple[str, ...] = ()
    run: str = ""
    hidden: bool = False

    @property
    def name(self) -> str:
        """What its files are called."""
        return entry_name(self.ns, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """What a task wrote to a channel, after a checkpoint and before the next one."""

    task: str
    index: int
    channel: str
    path: str
    value: Slot

    @property
    def order(self) -> tuple[str, str, int]:
        """Where it stands among the writes on one checkpoint."""
        return self.path, self.task, self.index


class View:
    """A thread as one git commit holds it."""

    def __init__(self, store: Store, hash: str) -> None:
        self._store = store
        self.hash = hash

    @property
    def thread(self) -> str:
        """The thread's own name."""
        return str(self._json(NAME)["thread"])

    def latest(self, ns: str) -> Entry | None:
        """Return the checkpoint of a namespace with the greatest id."""
        path = latest_path(ns)
        return self.entry(ns, self._json(path)["id"]) if self.read(path) else None

    def entry(self, ns: str, id: str) -> Entry | None:
        """Return a checkpoint, also a hidden one, None when there is none."""
        path = entry_path(entry_name(ns, id))
        return self._entry(path) if self.read(path) is not None else None

    def entries(self) -> Iterator[Entry]:
        """Yield all checkpoints, hidden ones too, in no order."""
        return (self._entry(path) for path in self.files(_ENTRIES))

    def names(self, ns: str | None) -> Iterator[tuple[str, str]]:
        """Yield id and name of the checkpoints in a namespace, None meaning in all of them."""
        for path in self.files(_ENTRIES):
            name = path.rpartition("/")[2].removesuffix(".json")
            if ns is None or name.endswith(_space(ns)):
                yield (name[3:39] if name[2] == "." else self._entry(path).id), name

    def named(self, name: str) -> Entry:
        """Return the checkpoint whose files have that name."""
        return self._entry(entry_path(name))

    def line(self, entry: Entry) -> Iterator[Entry]:
        """Yield the checkpoints before one, hidden ones too, from its parent to the first."""
        seen, found = {entry.id}, entry
        while found.parent and found.parent not in seen:
            before = self.entry(found.ns, found.parent)
            if before is None:
                return
            seen.add(before.id)
            yield (found := before)

    def writes(self, name: str) -> list[Write]:
        """Return the writes on the checkpoint whose files have that name, in their order."""
        found = [one for path in self.files(writes_folder(name)) for one in self.written(path)]
        return sorted(found, key=lambda one: one.order)

    def written(self, path: str) -> list[Write]:
        """Return the writes in one file."""
        rows = [texts.loaded(line, path) for line in (self.read(path) or "").splitlines()]
        return [Write(**{**row, "value": texts.slot(row["value"])}) for row in rows]

    def text(self, slot: Slot) -> str:
        """Return the text of a slot."""
        return texts.fetch(slot, self.read)

    def files(self, folder: str) -> Iterator[str]:
        """Yield the paths below a folder."""
        return self._store.files(self.hash, folder)

    def read(self, path: str) -> str | None:
        """Return a file's text, None when there is none."""
        return self._store.read(self.hash, path)

    def _json(self, path: str) -> Any:
        return texts.loaded(self.read(path) or "", path)

    def _entry(self, path: str) -> Entry:
        row = self._json(path)
        try:
            values = {c: (version, texts.slot(s)) for c, (version, s) in row["values"].items()}
            slots = {name: texts.slot(row[name]) for name in ("checkpoint", "metadata")}
            return Entry(**{**row, **slots, "values": values, "deltas": tuple(row["deltas"])})
        except (TypeError, ValueError, KeyError, AttributeError):
            raise MemoryCorrupt(f"{path}: no checkpoint: run agentctx memory verify") from None


def branch_of(thread: str) -> str:
    """Return the branch that a thread is."""
    return f"{THREADS}{texts.digest(thread)}"


def entry_name(ns: str, id: str) -> str:
    """Return what the files of a checkpoint are called; an id that may stand in it does."""
    name = texts.digest(id)
    return f"{name[:2]}.{id}.{_space(ns)}" if _ID.fullmatch(id) else f"{name}-{_space(ns)}"


def _space(ns: str) -> str:
    return texts.digest(ns)[:24]


def entry_path(name: str) -> str:
    """Return the file of the checkpoint with that name."""
    return f"{texts.sharded(_ENTRIES, name)}.json"


def writes_folder(name: str) -> str:
    """Return the folder with the writes on the checkpoint with that name."""
    return texts.sharded(WRITES, name)


def writes_path(name: str, task: str) -> str:
    """Return the file of what one task wrote."""
    return f"{writes_folder(name)}/t-{texts.digest(task)}.json"


def latest_path(ns: str) -> str:
    """Return the file that names the latest checkpoint of a namespace."""
    name = texts.digest(ns)
    return f"{_LATEST}/{name[0]}/{name}.json"


def entry_files(entry: Entry) -> Files:
    """Return the file of a checkpoint."""
    return {entry_path(entry.name): texts.dumped(asdict(entry))}


def latest_files(ns: str, id: str) -> Files:
    """Return the file that names the latest checkpoint of a namespace."""
    return {latest_path(ns): texts.dumped({"ns": ns, "id": id})}


def writes_files(path: str, writes: Iterable[Write]) -> Files:
    """Return the file of these writes of one task, none when there are none."""
    rows = [asdict(one) for one in writes]
    return {path: texts.lines(rows) if rows else None}
