"""A mini-swe-agent run that mends a small project. Its model is scripted, so no key is needed.

    pip install agentctx-middleware mini-swe-agent
    python examples/mini_swe_agent_run.py

On the command line of mini-swe-agent the same wrapper is one option:

    mini --environment-class agentctx.adapters.mini_swe_agent.AgentctxEnvironment
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("MSWEA_SILENT_STARTUP", "1")

from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import DeterministicModel, make_output

from agentctx import Session
from agentctx.adapters.mini_swe_agent import OBSERVATION_TEMPLATE, AgentctxEnvironment
from agentctx.terminal.marker import handles, is_marker

TESTS = """\
import unittest
from calc import add

class Add(unittest.TestCase): ...

for n in range(800):
    setattr(Add, f"test_adds_{n}", lambda self, n=n: self.assertEqual(add(n, 1), n + 1))
"""
BUG = "def add(a, b):\n    return a + b if a != 250 else 0\n"


class Scripted(DeterministicModel):
    """Plays the model: each command is a function of the last message."""

    def __init__(self, *script: Callable[[str], str]) -> None:
        super().__init__(outputs=[], observation_template=OBSERVATION_TEMPLATE)
        self.script = iter(script)

    def query(self, messages: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
        """Return the next command of the script."""
        command = next(self.script)(messages[-1]["content"])
        return make_output(f"I run `{command}`.", [{"command": command}], cost=0.0)


def brief(text: str) -> str:
    """Return the first and the last lines of a text, and the markers in between."""
    lines = text.splitlines()
    if len(lines) <= 12:
        return text
    return "\n".join([*lines[:4], "…", *filter(is_marker, lines), "…", *lines[-6:]])


def main(folder: Path) -> None:
    (folder / "calc.py").write_text(BUG)
    (folder / "test_calc.py").write_text(TESTS)
    test = "python3 -m unittest -v"
    model = Scripted(
        lambda _: test,
        lambda last: f"agentctx expand {handles(last)[0]} --grep 'test_adds_250 '",
        lambda _: f"sed -i.bak 's/ if a != 250 else 0//' calc.py && {test}",
        lambda _: "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat calc.py",
    )
    env = AgentctxEnvironment(
        LocalEnvironment(cwd=str(folder)),
        session=Session(data=folder / ".agentctx"),
        shown=None,  # OBSERVATION_TEMPLATE shows outputs whole
    )
    agent = DefaultAgent(
        model,
        env,
        system_template="You are a programmer.\n{{ agentctx }}",
        instance_template="{{ task }}",
    )
    outcome = agent.run("Mend the failing test.")

    for message in agent.messages:
        print(f"--- {message['role']}: {brief(message['content'])}")
    print(f"\n{outcome['exit_status']}: {outcome['submission']}")
    print(f"Outputs took {env.tokens_after} tokens instead of {env.tokens_before}.")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
