"""Outputs of a small test runner, as many runs of an agent saw them."""

from __future__ import annotations

from collections.abc import Sequence

from agentctx.learn.case import Case
from agentctx.values import Observation

PASSED = [f"check_{i} (suite.part{i % 7}.Case) ... ok" for i in range(40)]
FAILED = "check_99 (suite.part9.Case) ... FAIL"
END = "Ran 41 checks"


def case(number: int, *lines: str, used: Sequence[str] = (), command: str = "") -> Case:
    """Return an output of task `number`."""
    return Case(
        observation=Observation(
            output="\n".join(lines), command=command or "runchecks --all", exit_code=0
        ),
        task=f"task-{number}",
        used=tuple(used),
    )


def history(used: Sequence[str] = ()) -> list[Case]:
    """Return what 30 tasks saw: everything passes but in every fifth."""
    return [
        case(n, "starting", *PASSED, *([FAILED] if n % 5 == 0 else []), END, used=used)
        for n in range(30)
    ]
