"""Time that stands still until a test moves it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class FixedClock:
    """A `time.time` whose hands only `advance` moves; seconds since the epoch."""

    now: float = 1_750_000_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Move the hands forward."""
        self.now += seconds
