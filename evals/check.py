"""The raw arm against what the provider recorded: is the simulation true to life?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from agentctx.evals.quantile import quantile
from agentctx.evals.results import RawCheck, Run
from agentctx.tokens import Calibration


def raw_check(runs: Sequence[Run]) -> RawCheck | None:
    """Return the check over all runs whose provider usage was recorded; None if there are none.

    Each call is predicted with the calibration that a live session would have had then: learnt
    from earlier calls, of the same run and of earlier runs with the same model.
    """
    runs = [run for run in runs if run.recorded]
    if not runs:
        return None
    counted, actual = _sums(runs)
    predicted = _predict(runs)
    errors = [abs(p / _sums([run])[1] - 1) for p, run in zip(predicted, runs, strict=True)]
    spends = [run.arms["raw"].spend for run in runs]
    return RawCheck(
        calls=sum(len(run.recorded) for run in runs),
        counted=counted,
        recorded=actual,
        error=sum(predicted) / actual - 1,
        error_uncalibrated=counted / actual - 1,
        run_p95=quantile(errors, 0.95),
        run_worst=max(errors),
        halves=_halves(runs),
        cached_recorded=sum(run.cached for run in runs) / actual,
        cached_simulated=sum(s.cache_read for s in spends) / sum(s.prompt for s in spends),
        dollars_recorded=sum(run.billed for run in runs),
        dollars_simulated=sum(s.dollars for s in spends),
    )


def _predict(runs: Sequence[Run]) -> list[float]:
    """Return the predicted prompt tokens of each run, in the order of the runs."""
    learnt: defaultdict[str, Calibration] = defaultdict(Calibration)
    predicted = []
    for run in runs:
        total = 0.0
        for counted, actual in run.recorded:
            total += counted * learnt[run.model].ratio
            learnt[run.model] = learnt[run.model].learn(counted, actual)
        predicted.append(total)
    return predicted


def _halves(runs: Sequence[Run]) -> tuple[float, float]:
    """Return the error of each half of the tasks under the ratio of the other half."""
    tasks = sorted({run.task for run in runs})
    first = set(tasks[::2])
    a = _sums([run for run in runs if run.task in first])
    b = _sums([run for run in runs if run.task not in first])
    if not b[0]:
        return 0.0, 0.0
    return a[0] * b[1] / b[0] / a[1] - 1, b[0] * a[1] / a[0] / b[1] - 1


def _sums(runs: Sequence[Run]) -> tuple[int, int]:
    pairs = [pair for run in runs for pair in run.recorded]
    return sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
