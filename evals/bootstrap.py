"""Intervals by resampling tasks."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from agentctx.evals.counts import ratio
from agentctx.evals.results import Interval

SAMPLES = 1_000
"""How many times tasks are drawn."""

_SEED = 20_261_130


def intervals(tasks: Sequence[Mapping[str, tuple[float, float]]]) -> dict[str, Interval]:
    """Return a 95 % interval for each ratio of sums.

    Args:
        tasks: for each task, metric → (numerator, denominator); tasks are drawn with
            replacement, so runs of one task stay together.
    """
    if not tasks:
        return {}
    draws = _draws(len(tasks))
    names = list(tasks[0])
    return {name: _interval([task[name] for task in tasks], draws) for name in names}


def _draws(size: int) -> list[list[int]]:
    chance = random.Random(_SEED)  # noqa: S311 - reproducible on purpose
    return [chance.choices(range(size), k=size) for _ in range(SAMPLES)]


def _interval(pairs: Sequence[tuple[float, float]], draws: list[list[int]]) -> Interval:
    above = [pair[0] for pair in pairs]
    below = [pair[1] for pair in pairs]
    ratios = []
    for draw in draws:
        ratios.append(ratio(sum([above[i] for i in draw]), sum([below[i] for i in draw])))
    ratios.sort()
    edge = round(0.025 * len(ratios))
    return Interval(ratios[edge], ratios[-1 - edge])
