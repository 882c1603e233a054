"""What is known of each model: how it counts, and how short a prompt it still caches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from agentctx.config import Settings
from agentctx.prices import price
from agentctx.tokens import Counter, counter
from agentctx.values import Usage, content_id

_REMEMBERED = 100_000
_CHARACTERS = 10  # a prompt with so many for each token of the minimum is far above it


class Gauges:
    """Counters by model, each calibrated by the usage that its provider reports."""

    def __init__(self, settings: Settings, count: Callable[[str], int] | None = None) -> None:
        """Use the prices of these settings; `count` replaces the models' tokenizers."""
        self._settings, self._count = settings, count
        self._counters: dict[str, Counter] = {}
        self._floors: dict[str, int] = {}
        self._counted: dict[tuple[str, str], int] = {}

    def counter(self, model: object) -> Counter:
        """Return the counter of a model; what is no name gets the usual one."""
        name = model if isinstance(model, str) else ""
        return self._counters.get(name) or counter(name)

    def count(self, model: object) -> Callable[[str], int]:
        """Return what counts the tokens of a text as that model does."""
        return self._count or self.counter(model).count

    def calibrate(self, model: str, texts: Sequence[str], usage: Usage) -> None:
        """Learn from the usage that was reported for a request of these texts."""
        now, plain = self.counter(model), counter(model)
        counted = sum(self._remembered(plain, text) for text in texts)
        estimated = round(counted * now.calibration.ratio)
        self._counters[model] = now.calibrate(estimated, usage.prompt)

    def _remembered(self, plain: Counter, text: str) -> int:
        """Return the tokens of a text; a host sends the same ones again at every turn."""
        key = (plain.encoding, content_id(text))
        if key not in self._counted:
            if len(self._counted) >= _REMEMBERED:
                self._counted.clear()
            self._counted[key] = plain.count(text)
        return self._counted[key]

    def spare(self, model: object, texts: Sequence[str]) -> float:
        """Return how many tokens a request may lose and still be cached; inf if nothing is known."""
        floor = self._floor(model) if isinstance(model, str) else 0
        if not floor or sum(map(len, texts)) > floor * _CHARACTERS:
            return inf
        return self.count(model)("\n".join(texts)) - floor

    def _floor(self, model: str) -> int:
        if model not in self._floors:
            found = price(model, self._settings.prices)
            caches = found.known and found.cache_read < found.input
            self._floors[model] = found.min_cacheable if caches else 0
        return self._floors[model]
