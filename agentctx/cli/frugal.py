"""A session for one command: it estimates tokens, since to load a vocabulary takes 70 MiB and 0.3 s."""

from __future__ import annotations

from agentctx.session import Session
from agentctx.tokens import Counter, estimate


class Estimate(Counter):
    """Counts tokens roughly, rather too many."""

    __slots__ = ()

    def count(self, text: str) -> int:
        """Return about how many tokens `text` has."""
        return estimate(text)


class Frugal(Session):
    """A session that loads no vocabulary."""

    def _counter(self, model: str | None) -> Counter:
        return Estimate("o200k_base")
