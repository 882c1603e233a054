from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import RuleError
from agentctx.terminal.rules.rule import Rule, Status
from agentctx.terminal.rules.taco import FIELDS, dumps, loads
from benchmarks.reducers.taco import SEEDS

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
WORD = st.text("abcdefgh ", min_size=1, max_size=12)
COUNT = st.integers(0, 1_000)
RULE = st.fixed_dictionaries(
    {
        "rule_id": st.text("abcdefgh-_", min_size=1, max_size=12),
        "trigger_regex": WORD,
        "description": TEXT,
        "keep_patterns": st.lists(WORD, max_size=3),
        "strip_patterns": st.lists(WORD, min_size=1, max_size=3),
        "keep_first_n": COUNT,
        "keep_last_n": COUNT,
        "max_lines": st.none() | COUNT,
        "summary_header": st.none() | TEXT,
        "priority": st.integers(30, 65),
        "confidence": st.floats(0, 1),
        "times_applied": COUNT,
        "times_complained": COUNT,
    }
)
POOL = st.lists(RULE, min_size=1, max_size=4, unique_by=lambda rule: rule["rule_id"])


def stop(error: RuleError) -> None:
    raise error


@given(POOL)
def test_a_pool_comes_out_as_it_went_in(rules: list[dict[str, Any]]) -> None:
    pool = {"general": rules[:2], "builds": rules[2:]}
    pool = {category: each for category, each in pool.items() if each}
    found = loads(json.dumps(pool), stop)
    assert {rule.status for rule in found} == {Status.CANDIDATE}
    assert json.loads(dumps(found)) == pool


def test_what_a_rule_leaves_out_is_as_taco_has_it() -> None:
    [rule] = loads('[{"rule_id": "a", "trigger_regex": "x", "strip_patterns": ["y"]}]', stop)
    [table] = json.loads(dumps([rule]))["general"]
    assert tuple(table) == FIELDS
    assert (table["keep_first_n"], table["keep_last_n"], table["priority"]) == (5, 10, 42)
    assert (table["max_lines"], table["summary_header"], table["confidence"]) == (None, None, 1.0)


def test_what_re2_does_not_take_is_told_and_the_rest_is_there() -> None:
    rules = [
        {"rule_id": "a", "trigger_regex": "x", "strip_patterns": ["^(?!keep)"]},
        {"rule_id": "b", "trigger_regex": "x", "strip_patterns": ["y"]},
        {"rule_id": "b", "trigger_regex": "x", "strip_patterns": ["z"]},
        {"rule_id": "c", "trigger_regex": "x", "strip_patterns": ["y"], "status": "active"},
        {"rule_id": "d", "trigger_regex": "x", "strip_patterns": [["y"]]},
        7,
    ]
    told: list[RuleError] = []
    assert [rule.rule_id for rule in loads(json.dumps({"general": rules}), told.append)] == ["b"]
    assert [str(error)[:16] for error in told] == [f"general, rule {n}:" for n in (1, 3, 4, 5, 6)]
    assert "strip_patterns" in str(told[0])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        '"x"',
        '{"general": 7}',
        "[" * 100_000,
        '[{"confidence": NaN}]',
        '{"a": [], "a": []}',
        '{"a\\nb": [7]}',
        '{"\\ud800": []}',
    ],
)
def test_what_is_no_pool_is_refused_in_a_line(text: str) -> None:
    with pytest.raises(RuleError) as caught:
        loads(text, stop)
    assert "\n" not in str(caught.value)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_nothing_else_comes_of_any_json(value: Any) -> None:
    told: list[RuleError] = []
    try:
        assert loads(json.dumps({"general": value}), told.append) == ()
    except RuleError:
        return


def test_a_rule_of_ours_is_written_with_their_fields_only() -> None:
    rule = Rule(rule_id="a", trigger_regex="x", strip_patterns=("y",), min_lines=7)
    assert set(json.loads(dumps([rule]))["general"][0]) == set(FIELDS)


@pytest.mark.parametrize("category", ["", "general", "TACO pool: x", " a "])
def test_a_category_of_any_name_comes_out_as_it_went_in(category: str) -> None:
    rule = {"rule_id": "a", "trigger_regex": "x", "strip_patterns": ["y"]}
    found = loads(json.dumps({category: [rule]}), stop)
    assert list(json.loads(dumps(found))) == [category]


@pytest.mark.parametrize("field", ["description", "summary_header"])
def test_half_a_character_is_refused(field: str) -> None:
    rule = {"rule_id": "a", "trigger_regex": "x", "strip_patterns": ["y"], field: "\ud800"}
    told: list[RuleError] = []
    assert loads(json.dumps([rule]), told.append) == ()
    assert field in str(told[0])


def test_the_published_seeds_are_taken_and_come_out_as_they_went_in() -> None:
    names = ("git_noise", "heredoc_echo", "pip_install", "apt", "compiler", "keys")
    pool = {
        "general": [
            {
                "rule_id": name,
                "trigger_regex": seed.trigger,
                "description": "",
                "keep_patterns": [seed.keep],
                "strip_patterns": [seed.strip],
                "keep_first_n": seed.first,
                "keep_last_n": seed.last,
                "max_lines": seed.most,
                "summary_header": seed.header,
                "priority": priority,
                "confidence": 0.8,
                "times_applied": 10,
                "times_complained": 0,
            }
            for name, seed, priority in zip(names, SEEDS, (30, 35, 50, 55, 60, 65), strict=True)
        ]
    }
    assert json.loads(dumps(loads(json.dumps(pool), stop))) == pool
