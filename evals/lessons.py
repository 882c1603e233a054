"""Recorded runs as cases to learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from agentctx.evals.load import count, load, records
from agentctx.evals.trajectory import Trajectory, Turn
from agentctx.learn.case import Case, Step, cases
from agentctx.values import Observation


def recorded(
    paths: Sequence[Path], tell: Callable[[int, int], None] = lambda done, total: None
) -> list[Case]:
    """Return the outputs of recorded runs with what was used of them.

    `tell` is told how many of how many runs are read.

    Raises:
        DataError: a file cannot be read.
    """
    found: list[Case] = []
    total = count(paths)
    for number, record in enumerate(records(paths), 1):
        if run := load(record).trajectory:
            found += of_run(run)
        tell(number, total)
    return found


def of_run(run: Trajectory) -> Iterator[Case]:
    """Yield the outputs of one run."""
    opening = [str(message.get("content")) for message in run.opening]
    yield from cases(run.task, opening, [_step(turn) for turn in run.turns])


def _step(turn: Turn) -> Step:
    arguments = turn.call.arguments.values() if turn.call else ()
    said = "\n".join([turn.text, *map(str, arguments)])
    if turn.seen is None:
        return Step(said=said)
    seen = Observation(
        output=turn.seen.text,
        command=turn.command,
        exit_code=turn.seen.exit_code,
        tool=turn.tool,
    )
    return Step(said=said, observation=seen)
