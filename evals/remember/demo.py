"""The memory part of `agentctx demo`: killed while the tests run, resumed by another session."""

from __future__ import annotations

import pickle
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from agentctx.evals.ours import in_memory
from agentctx.evals.remember.agent import Agent, action
from agentctx.evals.remember.killed import FORKS, in_a_killed_process
from agentctx.evals.remember.life import Life
from agentctx.evals.remember.results import Cut
from agentctx.evals.remember.truth import Truth
from agentctx.evals.remember.ways import resume
from agentctx.evals.trajectory import Trajectory, Turn

ASIDES = (
    "Please keep the change inside `find_obj`: no new option, and do not touch anything below docs/.",
    "No, wait: leave the JavaScript domain as it is. From now on, only the Python domain counts.",
)
PLAN = (
    "find the cause",
    "write a script that shows it",
    "mend it",
    "run the tests of what uses it",
)
NEXT = (
    "read `find_obj` once more, then write the script",
    "mend `find_obj`, then run the script again",
    "run the tests of autodoc, and compare with `git stash` what fails",
)
SAID, RECORDED = (0.25, 0.6), (0.36, 0.9, 0.98)
"""When each of these happens, as shares of the turns until the run is killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revival:
    """What came back after a run was killed at its turn `turn` of `of`; its `call` was in flight."""

    cut: Cut
    turn: int
    of: int
    call: str
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether nothing fell short."""
        return not self.cut.faults


class Scripted(Agent):
    """An agent that works through a plan, without any chance."""

    def __init__(self) -> None:
        """Begin with the plan."""
        self.parts = list(PLAN)

    def commit(self, turn: Turn, number: int, truth: Truth) -> dict[str, Any]:
        """Return the arguments of the next commit; the whole plan is told each time."""
        finished, code = self.parts[len(truth.done)], turn.seen.exit_code if turn.seen else None
        shown = {"command": action(turn)[:200], **({} if code is None else {"exit_code": code})}
        return {
            "summary": f"Finished: {finished}",
            "done": [{"text": finished, **shown}],
            "todo": self.parts,
            "next_action": NEXT[len(truth.done)],
        }


def revive(trajectory: Trajectory) -> Revival:
    """Play a run to three quarters, kill it there, and let another session go on.

    Recordings hold neither corrections nor commits: both are added, the same ones every time.

    Raises:
        DataError: the process that was to be killed ended by itself.
    """
    begin = time.perf_counter()
    with TemporaryDirectory(
        prefix="agentctx-demo-", dir=in_memory(), ignore_cleanup_errors=True
    ) as folder:
        life = Life(trajectory, Path(folder), Random(0))  # noqa: S311 - nothing is left to chance
        life.agent = Scripted()
        last = len(trajectory.turns) * 3 // 4
        if FORKS:
            life.truth = pickle.loads(in_a_killed_process(lambda: _played(life, last)))  # noqa: S301
        else:
            _played(life, last)
        turn = trajectory.turns[last]
        resumed = resume(life, turn, last, form="SIGKILL" if FORKS else "dropped")
        life.end()
    return Revival(
        cut=resumed,
        turn=last + 1,
        of=len(trajectory.turns),
        call=action(turn),
        seconds=time.perf_counter() - begin,
    )


def _played(life: Life, last: int) -> bytes:
    """Play a run until the call of turn `last` is in flight; return what was said and recorded."""
    said, recorded = ([int(last * share) for share in shares] for shares in (SAID, RECORDED))
    for number, turn in enumerate(life.trajectory.turns[:last]):
        life.send()
        life.call(turn)
        life.receive(turn)
        if number in recorded and len(life.truth.done) < len(NEXT):
            life.commit(turn, number)
        if number in said:
            life.say(ASIDES[said.index(number)])
    life.send()
    life.call(life.trajectory.turns[last])
    life.rewritten()  # a host that keeps its history before it calls
    return pickle.dumps(life.truth)
