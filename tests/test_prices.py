import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx import prices
from agentctx.prices import cost, price
from agentctx.values import Usage

RATES = ("input", "output", "cache_read", "cache_write", "cache_write_1h")


def per_million(found):
    return tuple(round(getattr(found, name) * 1e6, 6) for name in RATES)


OPUS = (5.0, 25.0, 0.5, 6.25, 10.0)


@pytest.mark.parametrize(
    "name",
    [
        "claude-opus-4-6",
        "claude-opus-4.6",
        "Claude-Opus-4.6",
        "anthropic/claude-opus-4.6",
        "claude-opus-4-6[1m]",
        "anthropic/claude-opus-4-5-20251101",
        "vertex_ai/claude-opus-4-6",
    ],
)
def test_one_price_under_every_spelling(name):
    found = price(name)
    assert per_million(found) == OPUS
    assert (found.known, found.min_cacheable, found.assumed) == (True, 4096, ())
    assert found.model == name


@pytest.mark.parametrize(
    "name",
    [
        "bedrock/us.anthropic.claude-opus-4-6-v1:0",
        "bedrock/converse/us.anthropic.claude-opus-4-6-v1",
        "us.anthropic.claude-opus-4-6-v1",
        "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-6-v1",
    ],
)
def test_bedrock_names_carry_bedrock_prices(name):
    found = price(name)
    assert per_million(found)[0] == 5.5
    assert found.assumed == ()


@pytest.mark.parametrize(
    ("name", "rate", "minimum"),
    [
        ("gpt-5", 1.25, 1024),
        ("openai/gpt-5.2", 1.75, 1024),
        ("gpt-5.1-2025-11-13", 1.25, 1024),
        ("gemini-3-pro-preview", 2.0, 2048),
        ("gemini/gemini-3-pro-preview", 2.0, 2048),
        ("google/gemini-2.5-pro", 1.25, 2048),
        ("claude-sonnet-4-5", 3.0, 1024),
        ("claude-haiku-4-5", 1.0, 4096),
        ("claude-opus-5-5", 4.0, 512),
    ],
)
def test_models_in_use_are_priced_by_facts(name, rate, minimum):
    found = price(name)
    assert per_million(found)[0] == rate
    assert found.min_cacheable == minimum
    assert not found.assumed
    assert found.cache_read < found.input <= found.cache_write


@pytest.mark.parametrize(
    "name",
    ["openrouter/anthropic/claude-opus-4.6", "my-gateway/claude-opus-4-6", "gpt-5-2031-01-01"],
)
def test_another_sellers_or_snapshots_price_is_flagged_whole(name):
    found = price(name)
    assert found.known
    assert {*found.assumed} == {*RATES, "min_cacheable"}


@pytest.mark.parametrize(
    "name", ["my-model", "", "  ", "a//b/", "ollama/gpt-5", "hosted_vllm/deepseek-chat", "gpt-5:x"]
)
def test_an_unknown_model_has_no_price(name):
    found = price(name)
    assert not found.known
    assert per_million(found) == (0, 0, 0, 0, 0)
    assert {*found.assumed} == {*RATES, "min_cacheable"}
    assert cost(Usage(input=1000), found) is None


def test_what_the_source_does_not_say_is_assumed_without_discount():
    found = price("us.meta.llama3-1-70b-instruct-v1:0")
    assert found.cache_read == found.input == found.cache_write
    assert "cache_read" in found.assumed
    assert "input" not in found.assumed


def test_a_call_costs_each_kind_of_token_at_its_rate():
    usage = Usage(input=1000, cache_read=10_000, cache_write=2000, cache_write_1h=300, output=500)
    dollars = (1000 * 5 + 10_000 * 0.5 + 2000 * 6.25 + 300 * 10 + 500 * 25) / 1e6
    assert cost(usage, price("claude-opus-4-6")) == pytest.approx(dollars)


def test_longer_prompts_cost_what_the_vendor_asks_for_them():
    found = price("gemini-3-pro-preview")
    assert found.above == 200_000
    assert cost(Usage(input=200_000), found) == pytest.approx(0.4)
    assert cost(Usage(input=1, cache_read=200_000), found) == pytest.approx(200_000 * 0.4e-6 + 4e-6)


def test_a_users_price_wins_and_is_a_fact():
    found = price("my-model", {"My-Model": {"input": 3, "output": 15, "cache_read": 0.3}})
    assert per_million(found)[:3] == (3, 15, 0.3)
    assert found.source == "configuration"
    assert found.assumed == ("cache_write", "cache_write_1h", "min_cacheable")


def test_a_users_partial_price_keeps_the_rest_of_a_known_model():
    found = price("claude-opus-4-6", {"claude-opus-4-6": {"input": 4.0, "min_cacheable": 100}})
    assert per_million(found) == (4.0, *OPUS[1:])
    assert (found.min_cacheable, found.assumed) == (100, ())


def test_half_a_price_is_no_price():
    assert not price("my-model", {"my-model": {"input": 3}}).known


@given(st.text())
def test_any_name_gets_an_answer(name):
    found = price(name)
    assert found.known or found.assumed


def test_every_entry_of_the_snapshot_is_sane():
    source, models = prices._snapshot()
    assert source.startswith("litellm ")
    assert len(models) > 3000
    for name in models:
        found = price(name)
        assert found.known, name
        assert min(getattr(found, rate) for rate in RATES) >= 0, name
        assert found.cache_write_1h >= found.cache_write >= found.input, name


def test_the_snapshot_says_where_and_when_it_was_taken():
    head = json.loads(prices._SNAPSHOT.read_text())
    assert {"source", "taken", "fields"} <= head.keys()
