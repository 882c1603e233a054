"""What recall needs to know of a branch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from agentctx.memory.records import Branch, Commit, Metadata, Roadmap, Step, Word


class View(Protocol):
    """A branch as it was at one git commit; `snapshot.Snapshot` is one."""

    @property
    def branch(self) -> Branch:
        """The branch."""

    @property
    def roadmap(self) -> Roadmap:
        """`main.md`."""

    @property
    def words(self) -> Sequence[Word]:
        """The user's messages that still count."""

    @property
    def latest(self) -> Commit | None:
        """The newest record."""

    def record(self, name: str) -> Commit:
        """Return a record by its id, the start of it, or its git hash.

        Raises:
            UnknownMemory: there is none, or several begin so.
        """

    def records(self, start: str = "", k: int = 1) -> Sequence[Commit]:
        """Return up to `k` records, newest first, from the one with id `start` on ("": latest)."""

    def steps(self, commit: Commit) -> tuple[Step, ...]:
        """Return the log slice that a record sealed."""

    def segments(self) -> tuple[str, ...]:
        """Return the names of the metadata segments."""

    def metadata(self, name: str) -> Metadata:
        """Return one metadata segment.

        Raises:
            UnknownMemory: there is none of that name.
        """
