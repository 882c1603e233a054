from __future__ import annotations

import pytest

from agentctx.terminal.rules.rule import Sample
from agentctx.terminal.trial import faults
from tests.terminal.rules.outputs import FAILURE, LOG, PASSES, rule

GOOD = Sample(command="pytest -v", output=LOG, shown=(FAILURE,), hidden=(PASSES[3],))


def told(**sample: object) -> list[str]:
    values = {"command": "pytest -v", "output": LOG, **sample}
    return list(faults(rule(tests=(Sample(**values),))))  # type: ignore[arg-type]


def test_a_rule_that_does_what_its_tests_say_has_no_fault() -> None:
    assert list(faults(rule(tests=(GOOD,)))) == []


@pytest.mark.parametrize(
    ("sample", "fault"),
    [
        ({"hidden": (FAILURE,)}, "stayed"),
        ({"shown": (PASSES[3],)}, "went"),
        ({"hidden": ("not there",)}, "is no line of it"),
        ({"hidden": (PASSES[3],), "command": "make"}, "the rule did not apply"),
    ],
)
def test_what_its_tests_find_is_told(sample: dict[str, object], fault: str) -> None:
    assert any(fault in one for one in told(**sample))


def test_a_rule_without_tests_has_a_fault() -> None:
    assert list(faults(rule())) == ["has no test: add [[rule.tests]] with a real output"]
