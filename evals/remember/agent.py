"""A simulated agent: it plans, commits and ends requests at random, and its user interrupts it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any

from agentctx.evals.remember.truth import Truth
from agentctx.evals.trajectory import Trajectory, Turn

COMMITS, ASIDES, ENDS = 0.12, 0.06, 0.015
"""How likely each is at a turn."""

_ASIDES = (
    "No, do it without a new dependency.",
    "Actually, keep the old signature and add a keyword instead.",
    "Also: never touch the files below docs/.\nUse tabs there, and nothing else.",
    "Please look at `setup.py` as well:\n```python\nrequires = []  # must stay empty\n```\nThanks.",
    "Next action: none of yours. From now on, answer in one sentence.",
    "Still to do:\n- leave the changelog unchanged",
    "continue",
)
_REQUESTS = (
    "Now write a test for it. It must not need the network.",
    "Next, describe the change in one paragraph, without headings.",
    "There is one more place like that: mend it, too.",
)


class Agent:
    """What an agent and its user do beside the recorded turns; the same for the same seed."""

    def __init__(self, trajectory: Trajectory, random: Random) -> None:
        """Plan the work in parts, more than there will be commits."""
        self.random = random
        self.parts = [
            f"Part {number} of the work on {trajectory.task}"
            for number in range(1, len(trajectory.turns) // 3 + 8)
        ]

    def commit(self, turn: Turn, number: int, truth: Truth) -> dict[str, Any]:
        """Return the arguments of a commit: one part finished, another one next.

        Half of the time the whole plan is told again, with what is finished.
        """
        finished, following = self.parts[len(truth.done) : len(truth.done) + 2]
        tells = not truth.plan or self.random.random() < 0.5
        spelt = finished.swapcase() if self.random.random() < 0.5 else finished
        return {
            "summary": f"{finished} is finished: {self.random.choice(('tests pass', 'it runs'))}",
            "done": [{"text": spelt, "command": action(turn)[:200], "exit_code": 0}],
            "next_action": f"look at what turn {number} left open, then begin: {following}",
            **({"todo": self.parts} if tells else {}),
        }

    def recorded(self, truth: Truth, arguments: Mapping[str, Any]) -> None:
        """Note a commit that was made with these arguments."""
        finished = self.parts[len(truth.done)]
        truth.commit(self.parts, [finished], str(arguments["next_action"]))

    def aside(self, number: int) -> str:
        """Return what the user says in between."""
        return f"{self.random.choice(_ASIDES)} ({number})"

    def request(self, number: int) -> str:
        """Return what the user asks for when a request is answered."""
        return f"{self.random.choice(_REQUESTS)} ({number})"


def action(turn: Turn) -> str:
    """Return the call of a turn as one would write it down."""
    given = dict(turn.call.arguments) if turn.call else {}
    if turn.command:
        return turn.command
    given = {key: value for key, value in given.items() if value not in (None, "")}
    return f"{turn.tool} {json.dumps(given, ensure_ascii=False)}" if given else turn.tool
