from __future__ import annotations

import pytest

from agentctx.evals.cost import CALL, bill
from agentctx.evals.meter import Call
from agentctx.prices import Price
from agentctx.values import Usage

WRITES = Price(
    model="writes", input=1, output=5, cache_read=0.1, cache_write=1.25, min_cacheable=100
)
FREE = Price(model="free", input=1, output=5, cache_read=0.1, cache_write=1, min_cacheable=100)
CALLS = [Call(0, 1_000, 10), Call(1_000, 1_500, 20)]


def test_a_prefix_is_read_and_the_rest_is_written() -> None:
    assert bill(CALLS, WRITES, {}) == [
        Usage(cache_write=1_000, output=10),
        Usage(cache_read=1_000, cache_write=500, output=20),
    ]


def test_where_writing_costs_nothing_extra_the_rest_is_fresh_input() -> None:
    assert bill(CALLS, FREE, {})[1] == Usage(cache_read=1_000, input=500, output=20)


def test_a_prompt_too_short_to_be_cached_is_fresh_input() -> None:
    assert bill([Call(0, 99, 1), Call(99, 120, 1)], WRITES, {}) == [
        Usage(input=99, output=1),
        Usage(cache_write=120, output=1),
    ]


def test_a_retrieval_costs_a_call_and_stays_in_the_prompt() -> None:
    calls = [*CALLS, Call(1_500, 1_600, 30)]
    assert bill(calls, WRITES, {1: 200}) == [
        Usage(cache_write=1_000, output=10),
        Usage(cache_read=1_000, cache_write=500, output=CALL),
        Usage(cache_read=1_500, cache_write=200 + CALL, output=20),
        Usage(cache_read=1_700 + CALL, cache_write=100, output=30),
    ]


@pytest.mark.parametrize("scale", [1.0, 1.2])
def test_prompts_are_scaled_to_the_providers_tokens_and_outputs_are_not(scale: float) -> None:
    usage = bill(CALLS, WRITES, {}, scale)[1]
    assert usage.prompt == round(1_500 * scale)
    assert usage.output == 20
