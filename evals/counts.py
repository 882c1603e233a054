"""Numbers that add up over observations, runs and tasks."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, reduce
from operator import add, attrgetter
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable


def ratio(part: float, whole: float) -> float:
    """Return part of whole; nothing of nothing is all of it."""
    return part / whole if whole else 1.0


@cache
def _values(kind: type[Any]) -> attrgetter[tuple[float, ...]]:
    return attrgetter(*(field.name for field in fields(kind)))


class _Adds:
    """A dataclass of numbers whose values can be added field by field."""

    __slots__ = ()

    def __add__(self, other: Self) -> Self:
        values = _values(type(self))  # type: ignore[arg-type]
        return type(self)(*map(add, values(self), values(other)))

    @classmethod
    def total(cls, items: Iterable[Self]) -> Self:
        """Return the sum of all items."""
        return reduce(lambda a, b: a + b, items, cls())


@dataclass(frozen=True, slots=True)
class Counts(_Adds):
    """What a policy did to observations; tokens are counted once for each observation.

    `evidence` and `uses` are (kept, of) pairs, flattened.
    """

    observations: int = 0
    tokens_raw: int = 0
    tokens_out: int = 0
    longer: int = 0
    changed: int = 0
    evidence_kept: int = 0
    evidence: int = 0
    uses_kept: int = 0
    uses: int = 0
    verbatim: int = 0
    lost: int = 0
    dangling: int = 0

    @property
    def reduction(self) -> float:
        """Share of observation tokens saved, over all observations."""
        return 1 - ratio(self.tokens_out, self.tokens_raw)

    @property
    def evidence_recall(self) -> float:
        """Share of evidence lines shown verbatim."""
        return ratio(self.evidence_kept, self.evidence)

    @property
    def future_use_recall(self) -> float:
        """Share of later used strings that were shown when they were used."""
        return ratio(self.uses_kept, self.uses)


@dataclass(frozen=True, slots=True)
class Spend(_Adds):
    """What a policy's calls used, in provider tokens and dollars."""

    calls: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    dollars: float = 0.0
    retrievals: int = 0
    moved: int = 0

    @property
    def prompt(self) -> int:
        """All tokens of all requests."""
        return self.input + self.cache_read + self.cache_write
