"""When the model is reminded to commit: one marker line at the end of a result, now and then."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from agentctx.memory.records import Step, StepKind
from agentctx.notes.outcome import Ran, exit_code, ran
from agentctx.values import Observation

STEPS = 30
"""Steps without a record after which the model is reminded."""

APART = 10
"""At least so many steps lie between two reminders."""

_FEWEST = 3  # what was just recorded needs no record
_LINE = re.compile(r"\[agentctx: \d+ steps since the last commit · context_commit\]\Z")


@dataclass(frozen=True, slots=True)
class Pace:
    """How far the work is since the newest record.

    `steps` since then, the step at which the model was last reminded (0: not yet), and whether the
    last run of the tests failed.
    """

    steps: int = 0
    reminded: int = 0
    red: bool = False

    @classmethod
    def of(cls, live: Iterable[Step]) -> Pace:
        """Return the pace that the steps since the newest record make."""
        pace = cls()
        for step in live:
            if step.kind is StepKind.STEP:
                pace = pace.after(step.action, step.observation, step.exit_code)
        return pace

    def after(self, command: str, output: str, exit_code: int | None) -> Pace:
        """Return the pace after one more step."""
        steps = self.steps + 1
        reminded = steps if _LINE.search(output.rstrip()) else self.reminded
        found = ran(command, output, exit_code)
        red = {Ran.RED: True, Ran.GREEN: False}.get(found, self.red)
        return replace(self, steps=steps, reminded=reminded, red=red)

    def committed(self) -> Pace:
        """Return the pace after a record."""
        return Pace(red=self.red)

    def due(self, came: Observation) -> bool:
        """Tell whether the result that has just come in ends with a reminder."""
        step = self.steps + 1
        if self.reminded and step - self.reminded < APART:
            return False
        return step >= STEPS or (step >= _FEWEST and self._milestone(came))

    def _milestone(self, came: Observation) -> bool:
        code = exit_code(came.output) if came.exit_code is None else came.exit_code
        found = ran(came.command or came.tool, came.output, code)
        return found is Ran.LANDED or (found is Ran.GREEN and self.red)


class Reminder:
    """Says with which line the results of one request end, in their order."""

    def __init__(self, pace: Pace, recount: Callable[[], Pace]) -> None:
        """Begin at `pace`; `recount` returns the one of the journal, when it comes to it."""
        self._pace, self._recount, self._waiting = pace, recount, 0

    def __call__(self, came: Observation) -> str:
        """Return the line after a result that has just come in, "" mostly."""
        if self._pace.due(came):
            fresh = self._recount()
            if fresh.steps + self._waiting != self._pace.steps:  # another process has committed
                self._pace = fresh
        said = line(self._pace.steps + 1) if self._pace.due(came) else ""
        shown = f"{came.output}\n{said}" if said else came.output
        code = exit_code(came.output) if came.exit_code is None else came.exit_code
        self._pace = self._pace.after(came.command or came.tool, shown, code)
        self._waiting += 1
        return said


def line(steps: int) -> str:
    """Return the reminder."""
    return f"[agentctx: {steps} steps since the last commit · context_commit]"
