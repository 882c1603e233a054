"""contexa, the public re-implementation of the paper: text files that are parsed at every call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from contexa import CommitRecord, GCCWorkspace, OTARecord

from benchmarks.memory import texts

_TIME = "2026-01-01T00:00:00+00:00"


class Contexa:
    """`GCCWorkspace`, used as its documentation shows."""

    name: ClassVar[str] = "contexa"
    durable: ClassVar[str] = "no"

    def __init__(self, folder: Path) -> None:
        self.workspace = GCCWorkspace(str(folder))
        try:
            self.workspace.load()
        except FileNotFoundError:
            self.workspace.init(texts.roadmap(0))
        self.count = 0

    def log(self, number: int) -> None:
        """Append a step."""
        self.workspace.log_ota(*texts.step(number))

    def grow_log(self, start: int, end: int) -> None:
        """Write the steps that are missing as `log_ota` would, without parsing before each."""
        steps = (OTARecord(_TIME, *texts.step(n), n + 1).to_markdown() for n in range(start, end))
        with self._file("log.md").open("a") as file:
            file.writelines(steps)

    def commit(self, number: int) -> None:
        self.workspace.commit(texts.record(number), update_roadmap=texts.now(number))
        self.count += 1

    def grow(self, count: int) -> None:
        with self._file("commit.md").open("a") as file:
            file.writelines(self._record(number) for number in range(self.count, count))
        self.count = max(count, self.count)

    def latest(self) -> str:
        return str(self.workspace.context(k=1).summary())

    def search(self, word: str) -> int:
        found = self.workspace.context(k=self.count).commits
        return sum(word in one.this_commit_contribution for one in found)

    def titles(self) -> Sequence[str]:
        found = self.workspace.context(k=1_000_000).commits
        return [one.this_commit_contribution.split("\n")[0] for one in found]

    def linear(self) -> bool | None:
        return None

    def close(self) -> None:
        pass

    def _file(self, name: str) -> Path:
        return Path(self.workspace.gcc_dir, "branches", "main", name)

    def _record(self, number: int) -> str:
        before = texts.record(number - 1) if number else "Initial state"
        said = texts.record(number)
        id = f"{number:08x}"
        made = CommitRecord(id, "main", "Primary", before, said, _TIME)
        return str(made.to_markdown())
