"""Reader: the half of a memory that only looks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path

from agentctx import tokens
from agentctx.memory import names
from agentctx.memory.journals import Journals
from agentctx.memory.recall import Request, level_of, recall
from agentctx.memory.recall.search import Hit, Index
from agentctx.memory.records import Branch, Recall, Roadmap, Step
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.state import ExecutionState, derive
from agentctx.memory.store import Store
from agentctx.memory.store.disk import Disk
from agentctx.memory.store.operation import Operation
from agentctx.memory.write.writer import missing

_WINDOW = 20
"""Records that the execution state looks back at."""

_HITS = 10
"""What a search finds unless it asks for more."""


class Reader:
    """A project's memory, seen from one branch."""

    disk: Disk | None = None
    """What it is written by from the next time that it is opened; None is the real one."""

    def __init__(
        self,
        folder: Path | str,
        *,
        branch: str = names.MAIN,
        count: Callable[[str], int] = tokens.estimate,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Look into the memory of a data folder; nothing is opened before it is needed.

        Raises:
            MemoryNameError: no branch may be called so.
        """
        self.folder = Path(folder).absolute()  # wherever the process or a git that it starts goes
        self.current = names.branch(branch)
        self._count, self._clock = count, clock

    @cached_property
    def store(self) -> Store:
        """Its git repository."""
        return Store(self.folder, clock=self._clock, disk=self.disk)

    @cached_property
    def index(self) -> Index:
        """Its full-text index."""
        return Index(self.folder / "index.db")

    @cached_property
    def _journals(self) -> Journals:
        return Journals(self.folder, self.disk)

    def operations(self, limit: int | None = None) -> Sequence[Operation]:
        """Return what was done to this memory, newest first."""
        return list(islice(self.store.operations(), limit))

    def snapshot(self, branch: str | None = None) -> Snapshot:
        """Return a branch as it is now.

        Raises:
            UnknownMemory: it is not there.
        """
        name = branch or self.current
        if (tip := self.store.tip(name)) is None:
            raise missing(self.store, name)
        return Snapshot(self.store, tip)

    def branches(self) -> dict[str, Branch]:
        """Return the open branches by name."""
        return {n: Snapshot(self.store, tip).branch for n, tip in self.store.branches().items()}

    def live(self, branch: str | None = None) -> tuple[Step, ...]:
        """Return the steps of a branch since its newest record."""
        name = branch or self.current
        return self._journals.live(name, self._view(name)).steps

    def state(self, branch: str | None = None) -> ExecutionState:
        """Return where the work stands."""
        name = branch or self.current
        view = self._view(name)
        return derive(
            words=view.words if view else (),
            records=view.records(k=_WINDOW) if view else (),
            roadmap=view.roadmap if view else Roadmap(),
            live=self._journals.live(name, view).steps,
        )

    def context(self, request: Request | None = None, *, budget: int | None = None) -> Recall:
        """CONTEXT: recall what a request asks for, within a budget of tokens.

        Raises:
            UnknownMemory: it asks for what is not there.
        """
        asked = request or Request()
        name = asked.branch or self.current
        view = self._view(name)
        if view is None and asked.branch:
            raise missing(self.store, name)
        hits = self._found(asked) if asked.query else ()
        others = self.branches() if level_of(asked) == "status" else {}
        live = self._journals.live(name, view).steps
        return recall(view, others, live, asked, hits=hits, count=self._count, budget=budget)

    def search(self, query: str, *, branch: str | None = None, k: int = 10) -> Recall:
        """Recall the records that fit a query best, on one branch or all."""
        return self.context(Request(level="search", query=query, branch=branch or "", k=k))

    def _view(self, name: str) -> Snapshot | None:
        tip = self.store.tip(name)
        return Snapshot(self.store, tip) if tip else None

    def _found(self, request: Request) -> Sequence[Hit]:
        self.index.catch_up(self.store, {**self.store.archived(), **self.store.branches()})
        return self.index.search(
            request.query, limit=max(request.k, _HITS), branch=request.branch or None
        )
