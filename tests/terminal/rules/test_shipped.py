"""The tests that each shipped rule brings."""

from __future__ import annotations

import pytest

from agentctx.terminal.rules import pack
from agentctx.terminal.rules.rule import Rule
from agentctx.terminal.trial import faults

RULES = [(place, rule) for place in pack.packs() for rule in pack.load(place)]


@pytest.mark.parametrize(("place", "rule"), RULES, ids=[rule.rule_id for _, rule in RULES])
def test_a_shipped_rule_does_what_its_tests_say(place: pack.Place, rule: Rule) -> None:
    assert rule.tests
    assert list(faults(pack.with_outputs(rule, place))) == []
    assert any(sample.hidden for sample in rule.tests)
    assert all(sample.source for sample in rule.tests)
