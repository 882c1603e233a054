from __future__ import annotations

import pytest

from agentctx.learn.gate import judge, shadow
from agentctx.terminal.rules.rule import Rule
from tests.learn.outputs import FAILED, PASSED, case, history

NAMES = ["check_3 (suite.part3.Case)"]


def rule(*strips: str, **given: object) -> Rule:
    values = {"rule_id": "r", "trigger_regex": "^runchecks", "keep_first_n": 0, "keep_last_n": 0}
    return Rule(**{**values, "strip_patterns": strips, **given})  # type: ignore[arg-type]


def why(found: Rule, *, used: tuple[str, ...] = (), others: tuple[Rule, ...] = ()) -> str:
    return judge(found, shadow(history(used), others)).why


def test_a_rule_that_saves_and_harms_nothing_passes() -> None:
    found = judge(rule(r"\.\.\. ok$"), shadow(history(), ()))
    assert found.ok
    assert (found.applied, found.tasks) == (30, 30)
    assert found.saved > 30 * 300
    assert found.evidence == found.evidence_kept > 0


@pytest.mark.parametrize(
    "bad",
    [
        rule("."),
        rule(r"suite\.part\d"),
        rule(r"\d"),
        rule("FAIL|error", r"\.\.\. ok$"),
    ],
    ids=["match all", "drop paths", "drop digits", "drop errors"],
)
def test_a_bad_rule_hides_what_was_used_or_is_no_worse_than_a_good_one(bad: Rule) -> None:
    """Evidence outlives any rule; what else a bad one drops was used, and so it is refused."""
    found = judge(bad, shadow(history(["suite.part3.Case"]), ()))
    assert "strings that were used afterwards" in found.why
    assert found.evidence == found.evidence_kept


def test_what_nobody_can_show_on_enough_outputs_does_not_pass() -> None:
    few = [case(n, "starting", *PASSED) for n in range(4)]
    assert judge(rule(r"ok$"), shadow(few, ())).why == "proven on 4 outputs of 4 tasks only"
    one_task = [case(1, "starting", *PASSED) for _ in range(20)]
    assert "20 outputs of 1 tasks only" in judge(rule("ok$"), shadow(one_task, ())).why


def test_what_other_rules_hide_already_saves_nothing() -> None:
    assert "on 0 outputs" in why(rule(r"\.\.\. ok$"), others=(rule("ok$", rule_id="other"),))


def test_small_losses_of_many_rules_add_up() -> None:
    cases = history(["check_3 (suite.part3.Case) ... ok"])
    found = judge(rule("ok$"), shadow(cases, ()))
    assert found.all_uses == 30
    assert found.all_uses_kept == 0


def test_a_failure_is_never_hidden_whatever_the_rule() -> None:
    hidden = rule(".", keep_patterns=())
    tried = list(shadow(history(), ()).tried(hidden))
    assert len(tried) == 30
    for trial, after in tried:
        assert FAILED not in trial.before.text or FAILED in after.text.split("\n")
