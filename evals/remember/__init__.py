"""Recorded runs cut at random turns, and what memory brings back after each cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from agentctx.errors import DataError
from agentctx.evals.load import Record, count, load, records
from agentctx.evals.ours import in_memory
from agentctx.evals.remember.life import Life
from agentctx.evals.remember.results import WAYS, Cut, Lived, Remembered, gather
from agentctx.evals.remember.ways import WAYS as CUTS
from agentctx.evals.trajectory import Trajectory, Turn

Progress = Callable[[int, int], None]
"""Told how many of how many trajectories are done."""

AHEAD = 3
"""Trajectories handed out ahead to each process; the rest stays on disk."""

FLYING = 0.5
"""Of the cuts fall so many while a call is in flight, where a host has calls."""


def run(
    paths: Sequence[Path],
    cuts: int = 1,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Remembered:
    """Return what memory brought back after the cuts of these trajectories.

    Args:
        paths: `.jsonl` or `.jsonl.gz` files of either known format.
        cuts: of each way, in each trajectory.
        seed: another one cuts elsewhere; apart from latencies, the same one finds the same.
        jobs: processes; 1 stays in this one.
        progress: told after each trajectory.

    Raises:
        DataError: a file cannot be read, or no trajectory in any of them.
    """
    total = count(paths)
    lives, notes = list[Lived](), list[str]()
    for done, (lived, note) in enumerate(_all(records(paths), cuts, seed, jobs), 1):
        lives += [lived] if lived else []
        notes += [note] if note else []
        if progress:
            progress(done, total)
    if not lives:
        reason = notes[0] if notes else "no files, or empty ones"
        raise DataError(f"no trajectory found ({reason}): give .jsonl or .jsonl.gz trajectories")
    return gather(lives, notes)


def one(record: Record, cuts: int, seed: int) -> tuple[Lived | None, str]:
    """Return what became of the trajectory in a record, or why there is none."""
    loaded = load(record)
    if loaded.trajectory is None:
        return None, loaded.note
    return live(loaded.trajectory, cuts, seed), loaded.note


def live(trajectory: Trajectory, cuts: int, seed: int) -> Lived:
    """Play a run through real sessions in a folder of its own, and cut it in every way."""
    random = Random(f"{seed} {trajectory.id}")  # noqa: S311 - reproducible on purpose
    with TemporaryDirectory(
        prefix="agentctx-memory-", dir=in_memory(), ignore_cleanup_errors=True
    ) as folder:
        life = Life(trajectory, Path(folder), random)
        made, error = list[Cut](), ""
        try:
            for cut in play(life, plan(len(trajectory.turns), cuts, random)):
                made.append(cut)
        except Exception as broke:  # it is a finding, as what falls short is
            error = f"{type(broke).__name__}: {' '.join(str(broke).split())}"[:300]
        life.end()
        return Lived(
            run=trajectory.id,
            cuts=tuple(made),
            requests=life.requests,
            due=life.due,
            moved=tuple(life.moved),
            seconds=tuple(life.seconds),
            commits=life.commits,
            error=error,
        )


def plan(turns: int, cuts: int, random: Random) -> dict[int, list[str]]:
    """Return which ways cut before which turn; no two at once while there are turns enough."""
    ways = list(WAYS) * cuts
    random.shuffle(ways)
    moments = list(range(1, turns)) or [0]
    chosen = random.sample(moments, min(len(ways), len(moments)))
    found: dict[int, list[str]] = {}
    for number, way in enumerate(ways):
        found.setdefault(chosen[number % len(chosen)], []).append(way)
    return found


def play(life: Life, planned: dict[int, list[str]]) -> Iterator[Cut]:
    """Live a run turn by turn; yield its cuts.

    A host compacts between two turns only. What it sends after a cut is judged with the cut.
    """
    for number, turn in enumerate(life.trajectory.turns):
        ways = planned.get(number, [])
        flying = [way for way in ways if way != "compaction" and _flies(life, turn)]
        life.send()
        for way in ways:
            if way not in flying:
                yield CUTS[way](life, turn, number)
        life.call(turn)
        if flying:
            life.rewritten()  # a host that keeps its history before it calls
        for way in flying:
            yield CUTS[way](life, turn, number)
        life.receive(turn)
        life.chance(turn, number)


def _flies(life: Life, turn: Turn) -> bool:
    return life.host.native and turn.call is not None and life.random.random() < FLYING


def _all(
    lines: Iterator[Record], cuts: int, seed: int, jobs: int
) -> Iterator[tuple[Lived | None, str]]:
    if jobs <= 1:
        yield from (one(record, cuts, seed) for record in lines)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting: list[Future[tuple[Lived | None, str]]] = []
        while True:
            wanted = jobs * AHEAD - len(waiting)
            waiting += [pool.submit(one, record, cuts, seed) for record in islice(lines, wanted)]
            if not waiting:
                return
            yield waiting.pop(0).result()
