"""All LangGraph threads of a store: each is a branch, each change of one a commit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from agentctx import config
from agentctx.adapters.langgraph import texts as texts
from agentctx.adapters.langgraph.prune import without
from agentctx.adapters.langgraph.thread import (
    NAME,
    THREADS,
    Entry,
    Files,
    View,
    branch_of,
    entry_files,
    latest_files,
)
from agentctx.errors import MemoryStoreError, UnknownMemory
from agentctx.memory.store import Store, Transaction

FOLDER = "langgraph"  # beside the user's own memory, whose branches stay readable


class Change:
    """What happens to threads in one transaction."""

    def __init__(self, store: Store, transaction: Transaction) -> None:
        self._store, self._transaction = store, transaction

    def view(self, branch: str) -> View | None:
        """Return the thread of a branch, None when it has nothing yet."""
        hash = self._transaction.tip(branch)
        return View(self._store, hash) if hash else None

    def add(self, name: str, view: View | None, entry: Entry, files: Files, title: str) -> None:
        """Add a checkpoint to a thread."""
        files |= entry_files(entry)
        latest = view.latest(entry.ns) if view else None
        if latest is None or latest.id < entry.id:
            files |= latest_files(entry.ns, entry.id)
        self.put(name, view, files, title)

    def put(self, name: str, view: View | None, files: Files, title: str) -> None:
        """Add a commit with these files to a thread."""
        if view is None:
            files[NAME] = texts.dumped({"thread": name})
        self._commit(branch_of(name), files, title, view.hash if view else None, bool(view))

    def copy(self, source: str, target: str) -> None:
        """Let a thread begin where another one is: one commit, however much that one holds.

        Raises:
            UnknownMemory: there is no such source.
            MemoryStoreError: the target has checkpoints already.
        """
        if (view := self.view(branch_of(source))) is None:
            raise UnknownMemory(f"thread {source!r} has no checkpoints: name another to copy")
        if self.view(branch_of(target)) is not None:
            raise MemoryStoreError(f"thread {target!r} exists: delete it before copying to it")
        files: Files = {NAME: texts.dumped({"thread": target})}
        self._commit(branch_of(target), files, "Copy a thread", view.hash, True)

    def remove(self, branch: str, view: View, doomed: Callable[[Entry], bool]) -> None:
        """Delete checkpoints, and the past of the thread with them: no deleted file stays."""
        files = without(view, doomed)
        if files is None:
            self._transaction.move(f"refs/heads/{branch}", None)
        elif files:
            self._commit(branch, files, "Delete checkpoints", view.hash, False)

    def _commit(
        self, branch: str, files: Files, title: str, base: str | None, follows: bool
    ) -> None:
        self._transaction.put(
            f"refs/heads/{branch}",
            files=files,
            parents=[base] if base and follows else [],
            base=base,
            title=title.encode(errors="replace").decode()[:72],
            trailers={},
            at=time.time(),
        )


class Threads:
    """All threads in a store; each is a branch."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def view(self, branch: str) -> View | None:
        """Return the thread of a branch as it is now, None when it has nothing yet."""
        hash = self.store.tip(branch)
        return View(self.store, hash) if hash else None

    def views(self) -> dict[str, View]:
        """Return branch → thread, for all of them."""
        found = self.store.branches().items()
        return {name: View(self.store, tip) for name, tip in found if name.startswith(THREADS)}

    @contextmanager
    def change(self, kind: str) -> Iterator[Change]:
        """Change threads, all at once or not at all."""
        with self.store.transaction(kind) as transaction:
            yield Change(self.store, transaction)


def opened(data: Path | str | None) -> Store:
    """Return the repository for LangGraph in a data folder, None meaning that of the settings."""
    settings = config.load()
    chosen = replace(settings, data=Path(data)) if data is not None else settings
    return Store(chosen.open_data() / FOLDER)
