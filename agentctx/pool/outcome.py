"""Outcome: what came of a rule, and how far it can be trusted for it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import sqrt

SUCCESSES, FAILURES = 9, 1
"""What a rule is taken to have behind it when its life begins: it has passed its tests."""

_DEVIATIONS = 1.645  # of a normal distribution: 5 % lie below


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Counts of what a rule did in live sessions.

    Attributes:
        applied: outputs in which it hid lines.
        saved: tokens of those lines.
        complained: outputs for whose hidden lines the agent came back.
        released: tokens that were delivered again because of it.
    """

    applied: int = 0
    saved: int = 0
    complained: int = 0
    released: int = 0

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(**{name: getattr(self, name) + getattr(other, name) for name in COUNTS})

    @property
    def confidence(self) -> float:
        """The lower bound (5 %) of the probability that it is applied and nobody comes back for more.

        The posterior is a Beta distribution, its bound that of the normal one with its moments.
        """
        bad = FAILURES + self.complained
        good = SUCCESSES + max(0, self.applied - self.complained)
        mean, total = good / (good + bad), good + bad
        return max(0.0, mean - _DEVIATIONS * sqrt(mean * (1 - mean) / (total + 1)))


COUNTS = tuple(field.name for field in fields(Outcome))

NOTHING = Outcome()
"""What came of a rule that has not been applied yet."""
