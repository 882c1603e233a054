"""Times of calls that take turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence

Call = Callable[[int], object]
Times = Mapping[str, Sequence[float]]


def interleaved(
    calls: Mapping[str, Call], rounds: int, seconds: float = 20.0, burst: int = 1
) -> Times:
    """Return the seconds of each call, in up to `rounds` turns with an order that rotates.

    A side that used up its `seconds` stays out of the turns that are left, after three at least.
    In its turn it makes `burst` calls on end: several, where one is so short that it would be timed
    with caches that are full of what another side has just read.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            if len(times[name]) < 3 or sum(times[name]) < seconds:
                times[name] += [timed(calls[name], turn) for _ in range(burst)]
    return times


def timed(call: Call, turn: int = 0) -> float:
    """Return the seconds that a call takes."""
    begin = time.perf_counter()
    call(turn)
    return time.perf_counter() - begin


def median(times: Sequence[float]) -> float:
    """Return the middle one."""
    return statistics.median(times)


def p99(times: Sequence[float]) -> float:
    """Return what 99 of 100 stay below; the largest of fewer than 100."""
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.99))]
