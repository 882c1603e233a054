"""Side: one way to keep records, as all measurements see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol


class Side(Protocol):
    """Keeps records in one folder. `durable` says what a power cut leaves of an acknowledged one."""

    name: ClassVar[str]
    durable: ClassVar[str]
    count: int

    def commit(self, number: int) -> None:
        """Write a record and the roadmap; return once it is acknowledged."""

    def grow(self, count: int) -> None:
        """Let there be `count` records, whichever way is fastest."""

    def latest(self) -> str:
        """Return what a new agent is told: roadmap and newest record."""

    def search(self, word: str) -> int:
        """Return how many records a word was found in."""

    def titles(self) -> Sequence[str]:
        """Return the titles of the records that are kept."""

    def linear(self) -> bool | None:
        """Return whether each record has one before it; None where there is no history."""

    def close(self) -> None:
        """Let its files go."""
