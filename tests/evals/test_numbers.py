from __future__ import annotations

import pytest

from agentctx.evals.bootstrap import intervals
from agentctx.evals.check import raw_check
from agentctx.evals.counts import Counts, Spend
from agentctx.evals.quantile import quantile
from agentctx.evals.results import ArmRun, Run


def test_counts_add_up() -> None:
    total = Counts.total(
        [
            Counts(observations=1, tokens_raw=100, tokens_out=80, evidence=4, evidence_kept=3),
            Counts(observations=2, tokens_raw=100, tokens_out=20, uses=2, uses_kept=1),
        ]
    )
    assert total.observations == 3
    assert total.reduction == pytest.approx(0.5)
    assert total.evidence_recall == 0.75
    assert total.future_use_recall == 0.5


def test_nothing_at_stake_is_nothing_lost() -> None:
    assert (Counts().reduction, Counts().evidence_recall, Counts().future_use_recall) == (0, 1, 1)


def test_an_interval_holds_the_ratio_and_narrows_with_more_tasks() -> None:
    few = intervals([{"x": (i % 3, 2.0)} for i in range(9)])["x"]
    many = intervals([{"x": (i % 3, 2.0)} for i in range(300)])["x"]
    assert few.low < 0.5 < few.high
    assert many.low < 0.5 < many.high
    assert many.high - many.low < few.high - few.low


def test_intervals_are_the_same_every_time_and_tight_without_spread() -> None:
    tasks = [{"x": (float(i), 10.0)} for i in range(20)]
    assert intervals(tasks) == intervals(tasks)
    same = intervals([{"x": (3.0, 10.0)}] * 20)["x"]
    assert (same.low, same.high) == (0.3, 0.3)


def test_a_quantile_is_one_of_the_values() -> None:
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert quantile([], 0.5) == 0.0


def recorded(task: str, *pairs: tuple[int, int]) -> Run:
    arm = ArmRun(policy="raw", spend=Spend(input=1), families={}, points=())
    return Run(id=task, task=task, source="s", model="m", arms={"raw": arm}, recorded=pairs)


def test_the_check_learns_only_from_earlier_calls() -> None:
    check = raw_check([recorded("a", (100, 120), (200, 240)), recorded("b", (100, 120))])
    assert check is not None
    assert check.error_uncalibrated == pytest.approx(400 / 480 - 1)
    assert check.error == pytest.approx((100 + 240 + 120) / 480 - 1)
    assert check.halves == pytest.approx((0.0, 0.0))
    assert check.run_worst == pytest.approx(1 - 340 / 360)


def test_without_recorded_usage_there_is_no_check() -> None:
    assert raw_check([recorded("a")]) is None
