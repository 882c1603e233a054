"""Outputs and rules that the tests of rules share."""

from __future__ import annotations

from agentctx.terminal.rules.rule import Rule

PASSES = [f"tests/test_a.py::test_number_{i} PASSED [{i:3d}%]" for i in range(60)]
FAILURE = "tests/test_a.py::test_last FAILED [100%]"
END = "=== 1 failed, 60 passed in 2.00s ==="
LOG = "\n".join(["collected 61 items", *PASSES, FAILURE, END])


def rule(**given: object) -> Rule:
    """Return a rule for pytest that hides what passed."""
    values = {
        "rule_id": "passed",
        "trigger_regex": r"^pytest\b",
        "strip_patterns": (r" PASSED \[",),
        "summary_header": "passing tests",
        "keep_first_n": 0,
        "keep_last_n": 0,
    }
    return Rule(**{**values, **given})  # type: ignore[arg-type]
