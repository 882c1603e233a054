"""The journals of a memory's branches, each opened when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from agentctx.memory.records import Step, StepKind
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store.disk import Disk
from agentctx.memory.store.journal import Journal, Mark
from agentctx.memory.store.paths import journal_path


class Live(NamedTuple):
    """The steps of a branch that no record has sealed, and the mark that seals them."""

    steps: tuple[Step, ...]
    mark: str


@dataclass(slots=True)
class _Reading:
    """What was read of a journal: from which place, up to which, the steps by id."""

    start: Mark | None
    end: Mark | None = None
    steps: dict[str, Step] = field(default_factory=dict)

    def goes_on(self, start: Mark | None, end: Mark) -> bool:
        known = self.end
        return (
            self.start == start and known is not None and known[0] == end[0] and known[1] <= end[1]
        )


class Journals:
    """One journal a branch, in a data folder."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        """Use the data folder `folder`, written by `disk`; nothing is made before the first step."""
        self._folder, self._open, self._lock = folder, dict[str, Journal](), Lock()
        self._disk = disk
        self._read = dict[str, _Reading]()

    def append(self, step: Step) -> None:
        """Add a step to the journal of its branch."""
        self._of(step.branch).append(step)

    def live(self, branch: str, view: Snapshot | None) -> Live:
        """Return the steps since what `view` has sealed, oldest first; of calls, those in flight."""
        return self._until(Journal.end, branch, view)

    def sealed(self, branch: str, view: Snapshot | None) -> Live:
        """Return the same for a record that is to seal them: they are durable.

        Raises:
            MemoryFull: the disk refused.
        """
        return self._until(Journal.seal, branch, view)

    def path(self, branch: str) -> Path:
        """Return where the journal of a branch lies."""
        return journal_path(self._folder, branch)

    def trim(self, branch: str, view: Snapshot) -> None:
        """Drop what `view` has sealed from the journal of its branch, if nobody else writes there."""
        start = place(view.mark)
        if start and self.path(branch).exists():
            self._of(branch).trim(start)

    def close(self) -> None:
        """Close them all."""
        with self._lock:
            self._read.clear()
            while self._open:
                self._open.popitem()[1].close()

    def _until(self, end_of: Callable[[Journal], Mark], branch: str, view: Snapshot | None) -> Live:
        mark = view.mark if view else ""
        if branch not in self._open and not self.path(branch).exists():
            return Live((), mark)
        journal, start = self._of(branch), place(mark)
        end = end_of(journal)
        with self._lock:
            known = self._read.get(branch)
            if known is None or not known.goes_on(start, end):
                known = self._read[branch] = _Reading(start)
            known.steps |= {step.id: step for step in journal.read(known.end or start, end)}
            known.end = end
            return Live(_unanswered(known.steps.values()), f"{end[0]}:{end[1]}")

    def _of(self, branch: str) -> Journal:
        with self._lock:
            if branch not in self._open:
                self._open[branch] = Journal(self.path(branch), disk=self._disk)
            return self._open[branch]


def _unanswered(steps: Collection[Step]) -> tuple[Step, ...]:
    """Return the steps without the calls whose results are among them."""
    came = {step.call for step in steps if step.kind is StepKind.STEP}
    return tuple(s for s in steps if s.kind is not StepKind.CALL or s.call not in came)


def place(mark: str) -> Mark | None:
    """Return the place in a journal that the trailer of a commit says, None if it says none."""
    generation, _, end = mark.rpartition(":")
    return (generation, int(end)) if generation and end.isdecimal() else None
