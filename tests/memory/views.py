"""A branch in memory, as recall looks at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentctx.errors import UnknownMemory
from agentctx.memory.records import Branch, Commit, Metadata, Roadmap, Step, Word


@dataclass(kw_only=True)
class Shown:
    """Records are given oldest first."""

    branch: Branch = field(default_factory=lambda: Branch(name="main"))
    roadmap: Roadmap = field(default_factory=Roadmap)
    commits: Sequence[Commit] = ()
    logs: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)
    segment: Mapping[str, Metadata] = field(default_factory=dict)
    words: Sequence[Word] = ()
    read: int = 0

    @property
    def latest(self) -> Commit | None:
        return self.commits[-1] if self.commits else None

    def record(self, name: str) -> Commit:
        for commit in self.commits:
            if commit.id.startswith(name):
                return commit
        raise UnknownMemory(f"no record {name!r}: see agentctx memory history")

    def records(self, start: str = "", k: int = 1) -> Sequence[Commit]:
        newest = list(reversed(self.commits))
        begun = next((i for i, c in enumerate(newest) if not start or c.id == start), len(newest))
        found = newest[begun : begun + k]
        self.read += len(found)
        return found

    def steps(self, commit: Commit) -> tuple[Step, ...]:
        return self.logs.get(commit.id, ())

    def segments(self) -> tuple[str, ...]:
        return tuple(sorted(self.segment))

    def metadata(self, name: str) -> Metadata:
        if name not in self.segment:
            raise UnknownMemory(f"no metadata segment {name!r}: there are: none")
        return self.segment[name]


def chain(*commits: Commit) -> list[Commit]:
    """Return the records one after the other, each the parent of the next."""
    made: list[Commit] = []
    for number, commit in enumerate(commits):
        parents = (made[-1].id,) if made else ()
        made.append(replace(commit, number=number, parents=parents))
    return made
