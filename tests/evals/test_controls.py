from __future__ import annotations

import pytest

from agentctx.errors import ConfigError
from agentctx.evals.controls import Capped, HostCap, Random, Raw
from agentctx.evals.meter import Tally
from agentctx.evals.policy import POLICIES, Policy, find
from agentctx.evals.trajectory import Trajectory
from agentctx.evals.walk import Walk, walk
from agentctx.tokens import counter
from tests.evals.runs import trajectory

LINES = "".join(f"line number {i}\n" for i in range(1_000))


def sent(policy: Policy, run: Trajectory, ratios: dict[int, float] | None = None) -> Walk:
    arm = policy.start(run, ratios or {})
    try:
        return walk(run, arm, Tally(counter()))
    finally:
        arm.close()


@pytest.mark.parametrize("native", [True, False])
def test_raw_shows_everything(native: bool) -> None:
    run = trajectory(("seq", LINES), ("ls", "a\n"), ("true", ""), native=native)
    walked = sent(Raw(), run)
    assert walked.last(0) == LINES
    assert walked.moved == 0


@pytest.mark.parametrize("native", [True, False])
def test_the_host_cap_keeps_5000_characters_of_either_end(native: bool) -> None:
    run = trajectory(("seq", LINES), ("ls", "a\n"), ("true", ""), native=native)
    walked = sent(HostCap(), run)
    assert walked.last(0).startswith(LINES[:5_000])
    assert walked.last(0).endswith(LINES[-5_000:])
    assert len(walked.last(0)) < 10_050
    assert walked.last(1) == "a\n"
    assert walked.moved == 0


def test_an_output_that_the_host_had_cut_is_not_cut_again() -> None:
    assert Capped(already=frozenset({3})).decide(3, LINES) == LINES
    assert Capped(already=frozenset({3})).decide(4, LINES) != LINES


def test_the_control_deletes_whole_lines_at_the_given_ratio() -> None:
    run = trajectory(("seq", LINES), ("seq", LINES), ("true", ""))
    walked = sent(Random(), run, {0: 0.6})
    kept = walked.last(0)
    assert set(kept.split("\n")) <= set(LINES.split("\n"))
    assert len(kept) == pytest.approx(0.6 * len(LINES), abs=20)
    assert walked.last(1) == LINES
    assert walked.moved == 0


def test_the_control_deletes_the_same_lines_every_time() -> None:
    run = trajectory(("seq", LINES), ("true", ""))
    assert sent(Random(), run, {0: 0.5}).last(0) == sent(Random(), run, {0: 0.5}).last(0)


def test_every_policy_is_found_by_name() -> None:
    for name in POLICIES:
        assert callable(find(name).start)


def test_a_policy_of_somebody_else_is_found_by_its_path() -> None:
    assert isinstance(find("agentctx.evals.controls:Raw"), Raw)


@pytest.mark.parametrize("name", ["nope", "nope.nope:Nope", "agentctx.evals.controls:Nope", ""])
def test_an_unknown_policy_is_one_line_that_names_the_known(name: str) -> None:
    with pytest.raises(ConfigError, match="choose raw, host-cap") as caught:
        find(name)
    assert "\n" not in str(caught.value)
