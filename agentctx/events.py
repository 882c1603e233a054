"""What happened, told to whoever listens; telling it never fails the caller."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

EXPAND = "expand"
"""The kind of event that says an original was asked for; `Ledger.stats` counts it."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a session; `detail` is JSON-like."""

    kind: str
    session: str
    detail: Mapping[str, Any] = field(default_factory=dict)


class Sink(Protocol):
    """Takes events: a ledger's `note`, a list's `append`, a function of the host."""

    def __call__(self, event: Event, /) -> object:
        """Take one event."""


class Log:
    """The last events, each passed on to every sink."""

    def __init__(self, *sinks: Sink, keep: int = 256) -> None:
        """Forward to `sinks` in that order, and remember the last `keep` events."""
        self._sinks, self._recent = sinks, deque[Event](maxlen=keep)
        self.failed = 0

    def __call__(self, event: Event, /) -> None:
        """Take one event; a sink that raises is counted in `failed` and holds up nobody."""
        self._recent.append(event)
        for sink in self._sinks:
            try:
                sink(event)
            except Exception:
                self.failed += 1

    @property
    def recent(self) -> tuple[Event, ...]:
        """The last events, oldest first."""
        return tuple(self._recent)
