"""Recorded agent runs replayed turn by turn, under one policy after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from agentctx.errors import DataError
from agentctx.evals.gather import gather
from agentctx.evals.load import Record, count, records
from agentctx.evals.one import Outcome, replay
from agentctx.evals.policy import POLICIES, find
from agentctx.evals.results import Results
from agentctx.evals.trajectory import HOST_PROMPT

Progress = Callable[[int, int], None]
"""Told how many of how many trajectories are done."""

AHEAD = 3
"""Trajectories handed out ahead to each process; the rest stays on disk."""


def run(
    paths: Sequence[Path],
    policies: Sequence[str] = tuple(POLICIES),
    jobs: int = 1,
    progress: Progress | None = None,
    host_prompt: int = HOST_PROMPT,
) -> Results:
    """Return what each policy saves, keeps, loses and costs on these trajectories.

    Apart from latencies and memory the results depend on the input only, not on `jobs`.

    Args:
        paths: `.jsonl` or `.jsonl.gz` files of either known format.
        policies: names in `POLICIES`, or `package.module:Class`.
        jobs: processes; 1 stays in this one.
        progress: told after each trajectory.
        host_prompt: tokens that stand in for a host's own prompt where it was not recorded.

    Raises:
        ConfigError: there is no such policy.
        DataError: a file cannot be read, or no trajectory in any of them.
    """
    for name in policies:
        find(name)
    total = count(paths)
    outcomes: list[Outcome] = []
    for outcome in _outcomes(records(paths), list(policies), jobs, host_prompt):
        outcomes.append(outcome)
        if progress:
            progress(len(outcomes), total)
    runs = [outcome.run for outcome in outcomes if outcome.run]
    notes = [outcome.note for outcome in outcomes if outcome.note]
    if not runs:
        reason = notes[0] if notes else "no files, or empty ones"
        raise DataError(f"no trajectory found ({reason}): give .jsonl or .jsonl.gz trajectories")
    repaired = sum(outcome.repaired for outcome in outcomes)
    return gather(runs, policies, notes, repaired, len(outcomes) - len(runs))


def _outcomes(
    lines: Iterator[Record], policies: list[str], jobs: int, host_prompt: int
) -> Iterator[Outcome]:
    if jobs <= 1:
        yield from (replay(record, policies, host_prompt) for record in lines)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting: list[Future[Outcome]] = []
        while True:
            wanted = jobs * AHEAD - len(waiting)
            waiting += [
                pool.submit(replay, record, policies, host_prompt)
                for record in islice(lines, wanted)
            ]
            if not waiting:
                return
            yield waiting.pop(0).result()
