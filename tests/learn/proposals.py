"""Outputs in which only a model finds the noise, and a model that says what the test wrote down."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from agentctx.learn.case import Case
from tests.learn.outputs import case

PARTS = ("blue", "old", "quick", "large", "open", "late", "warm")
COMMAND = "fetchall now"
ERROR, STATUS = "error: part 7 is not there", "part 7 exited with status 3"
NEEDED = "wrote src/part_{}.py"
GOOD = {
    "rule_id": "steps",
    "summary_header": "steps",
    "strip_patterns": [r"^fetched \S.* from \S+$"],
}


def history(tasks: int = 30, command: str = COMMAND) -> list[Case]:
    """Return outputs whose noise never reads alike, so that no miner finds a kind in it."""
    found = []
    for task in range(tasks):
        noise = []
        for line in range(60):
            words = [
                PARTS[(task * 31 + line * 7 + k * k) % 7] + "abcdefgh"[(line + k) % 8]
                for k in range(line % 5 + 2)
            ]
            noise.append(f"fetched {' '.join(words)} of the {line} that are here from mirror{task}")
        lines = [
            *noise[:30],
            ERROR,
            STATUS,
            NEEDED.format(task),
            *noise[30:],
            "in the end",
            "ended",
        ]
        found.append(case(task, *lines, used=[f"src/part_{task}.py"], command=command))
    return found


@dataclass
class Scripted:
    """A model that says one thing and remembers what it was asked."""

    says: object
    model: str = "scripted"
    asked: list[str] = field(default_factory=list)

    def __call__(self, prompt: str, /) -> str:
        self.asked.append(prompt)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says if isinstance(self.says, str) else json.dumps({"rules": self.says})
