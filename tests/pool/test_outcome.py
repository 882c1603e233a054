from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentctx.pool import Outcome
from agentctx.terminal.rules.rule import LEAST_CONFIDENCE

COUNT = st.integers(0, 10_000)


def test_a_rule_begins_with_trust_and_one_complaint_does_not_end_it() -> None:
    assert Outcome().confidence > 0.7
    assert Outcome(applied=1, complained=1).confidence > LEAST_CONFIDENCE


def test_a_rule_for_which_agents_always_come_back_is_not_trusted() -> None:
    assert Outcome(applied=12, complained=12).confidence < LEAST_CONFIDENCE


@given(COUNT, COUNT)
def test_confidence_is_a_probability_that_success_raises_and_complaints_lower(
    applied: int, complained: int
) -> None:
    found = Outcome(applied=applied, complained=complained)
    assert 0 <= found.confidence < 1
    assert Outcome(applied=applied + 1, complained=complained).confidence >= found.confidence or (
        applied < complained
    )
    more = Outcome(applied=applied + 1, complained=complained + 1)
    assert more.confidence < found.confidence


def test_counts_add_up() -> None:
    one = Outcome(applied=1, saved=2, complained=3, released=4)
    assert one + one == Outcome(applied=2, saved=4, complained=6, released=8)
