"""What a model says, and what of it is taken."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import RuleError
from agentctx.learn.reply import LONGEST, MOST, MOST_KEPT, rules_of
from agentctx.terminal.rules import pack, toml
from agentctx.terminal.rules.fields import RULE
from agentctx.terminal.rules.rule import Rule, Status
from tests.learn.proposals import GOOD

ODD = st.text() | st.sampled_from(["^a", "(", "x" * 600, "a{9999}", "\ud800", "\x1b[2J", "\u202e"])
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | ODD | st.lists(ODD, max_size=3)
RULES = st.fixed_dictionaries(
    {"rule_id": ODD, "strip_patterns": st.lists(ODD, max_size=3) | VALUES},
    optional=dict.fromkeys(sorted({*RULE, "tests", "odd"} - {"rule_id", "strip_patterns"}), VALUES),
)


def test_nothing_but_patterns_is_taken_from_a_model() -> None:
    says = {
        **GOOD,
        "trigger_regex": "rm",
        "status": "active",
        "confidence": 1,
        "not_for": ["x"],
        "tests": [{"command": "x"}],
        "times_applied": 99,
        "version": 7,
        "provenance": "a saint",
    }
    [rule] = rules_of(json.dumps({"rules": [says]}), "^fetchall", "a model")
    assert isinstance(rule, Rule)
    assert (rule.status, rule.trigger_regex, rule.tests) == (Status.CANDIDATE, "^fetchall", ())
    assert (rule.version, rule.times_applied, rule.provenance) == (1, 0, "a model")


@pytest.mark.parametrize(
    "around", ["{}", "Sure! {{}} here:\n```json\n{}\n```\nDone.", '{{"a": 1}} {}']
)
def test_the_object_is_found_in_what_is_said_around_it(around: str) -> None:
    [rule] = rules_of(around.format(json.dumps({"rules": [GOOD]})), "^x", "p")
    assert isinstance(rule, Rule)


@given(
    st.text()
    | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(
        lambda value: json.dumps({"rules": value})
    )
)
def test_any_reply_makes_rules_or_reasons(reply: str) -> None:
    found = list(rules_of(reply, "^x", "p"))
    assert len(found) <= MOST + 1
    assert all(isinstance(one, RuleError) and "\n" not in str(one) for one in found)


@given(said=st.lists(RULES, max_size=7))
def test_whatever_a_rule_says_it_is_a_candidate_that_a_pack_can_hold(
    said: list[dict[str, object]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = list(rules_of(json.dumps({"rules": said}), "^x", "p"))
    assert len(found) == min(len(said), MOST) + (len(said) > MOST)
    place = tmp_path_factory.getbasetemp() / "odd.toml"
    for one in found:
        if isinstance(one, RuleError):
            assert "\n" not in str(one)
            continue
        assert one.rule_id.startswith("proposed.")
        ours = (one.status, one.trigger_regex, one.provenance, one.tests, one.not_for)
        assert ours == (Status.CANDIDATE, "^x", "p", (), ())
        assert (one.confidence, one.times_applied, one.times_complained) == (1.0, 0, 0)
        place.write_text(toml.write([one]), encoding="utf-8")
        assert pack.load(place) == (one,)


def test_what_is_beyond_five_rules_is_told() -> None:
    found = list(rules_of(json.dumps({"rules": [GOOD] * 7}), "^x", "p"))
    assert all(isinstance(one, Rule) for one in found[:MOST])
    assert [str(one) for one in found[MOST:]] == [
        "2 more rules in the reply: 5 at most are taken of one"
    ]


@pytest.mark.parametrize("field", ["keep_first_n", "keep_last_n"])
def test_a_rule_that_keeps_too_many_lines_is_refused(field: str) -> None:
    says = [{**GOOD, field: number} for number in (MOST_KEPT, MOST_KEPT + 1)]
    good, bad = rules_of(json.dumps({"rules": says}), "^x", "p")
    assert isinstance(good, Rule)
    assert isinstance(bad, RuleError)
    assert "100 at most" in str(bad)


def test_a_reply_without_end_is_not_read() -> None:
    [found] = rules_of(json.dumps({"rules": [GOOD]}) + " " * LONGEST, "^x", "p")
    assert isinstance(found, RuleError)


@pytest.mark.parametrize("header", ["all 9 tests passed", "\ud800", "a\x1b[2J", "a\nb"])
def test_no_words_of_a_models_are_shown_to_anybody(header: str) -> None:
    [found] = rules_of(json.dumps({"rules": [{**GOOD, "summary_header": header}]}), "^x", "p")
    assert isinstance(found, Rule)
    assert found.reason == "usual lines"
