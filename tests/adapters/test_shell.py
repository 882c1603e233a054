from __future__ import annotations

from typing import Any

import pytest

from agentctx.adapters.shell import HINT, asked
from agentctx.values import ToolCall


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("agentctx expand a1b2c3", {}),
        (HINT.format(handle="a1b2c3"), {}),
        ("  agentctx   expand a1b2c3 \n", {}),
        ("agentctx expand a1b2c3 2>&1", {}),
        ("cd /testbed && agentctx expand a1b2c3", {}),
        ("cd '/a b'; agentctx expand a1b2c3", {}),
        ("agentctx expand a1b2c3 --lines 40:253", {"lines": "40:253"}),
        ("agentctx expand --lines=40-253 a1b2c3", {"lines": "40-253"}),
        ("agentctx expand a1b2c3 lines=40-", {"lines": "40-"}),
        ("agentctx expand a1b2c3 --grep 'FAILED|ERROR (x)'", {"grep": "FAILED|ERROR (x)"}),
        ("agentctx expand a1b2c3 --grep=a --lines 1:9", {"grep": "a", "lines": "1:9"}),
    ],
)
def test_a_command_that_only_expands_is_a_call(command: str, arguments: dict[str, Any]) -> None:
    expected = ToolCall(id="", name="expand", arguments={"handle": "a1b2c3", **arguments})
    assert asked(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "agentctx expand a1b2c3 | grep FAILED",
        "agentctx expand a1b2c3 > all.txt",
        "make && agentctx expand a1b2c3",
        "agentctx expand a1b2c3\nls",
        "agentctx expand a1b2c3 b1b2c3",
        "agentctx expand a1b2c3 --first 3",
    ],
)
def test_a_command_that_does_more_is_refused_in_one_line(command: str) -> None:
    answer = asked(command)
    assert isinstance(answer, str)
    assert answer.startswith("error: ")
    assert "agentctx expand HANDLE" in answer
    assert "\n" not in answer


@pytest.mark.parametrize(
    "command",
    [
        "",
        "ls",
        "expand tabs.txt",
        "echo 'agentctx expand a1b2c3'",
        "agentctx stats",
        "cat > notes.md <<'EOF'\nRun:\nagentctx expand a1b2c3\nEOF",
        "echo 'unbalanced; agentctx expand a1b2c3",
    ],
)
def test_any_other_command_is_not_ours(command: str) -> None:
    assert asked(command) is None
