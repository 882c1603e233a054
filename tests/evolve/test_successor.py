from __future__ import annotations

from agentctx.evolve.successor import successors
from agentctx.terminal.rules.rule import MOST, Rule, Status, check
from agentctx.terminal.rules.scope import Scope

RULE = Rule(
    rule_id="make.steps", trigger_regex="make|ninja", strip_patterns=("^ ",), keep_patterns=("x",)
)
LINE = "  wrote (file) [1] a.b"


def test_it_is_for_one_scope_and_keeps_what_was_needed() -> None:
    general, exact = successors(RULE, Scope("make"), [LINE])
    for rule in (general, exact):
        check(rule)
        assert rule.rule_id == "make.steps~make.2"
        assert (rule.version, rule.status) == (2, Status.CANDIDATE)
        assert rule.trigger_regex == Scope("make").trigger
        assert rule.keep_patterns[0] == "x"
    assert exact.keep_patterns[1] == r"^\ \ wrote\ \(file\)\ \[1\]\ a\.b$"


def test_one_of_a_successor_counts_on() -> None:
    first = next(successors(RULE, Scope("git", "clone"), [LINE]))
    second = next(successors(first, Scope("git", "clone"), [LINE]))
    assert first.rule_id == "make.steps~git-clone.2"
    assert second.rule_id == "make.steps~git-clone.3"


def test_there_is_none_where_nothing_can_be_told_of_what_was_needed() -> None:
    assert list(successors(RULE, Scope("make"), [])) == []
    assert list(successors(RULE, Scope("make"), ["  ", "x" * 600])) == []
    many = [f"line {n} of it" for n in range(MOST + 1)]
    assert all(
        "line" not in p for s in successors(RULE, Scope("make"), many) for p in s.keep_patterns[2:]
    )
