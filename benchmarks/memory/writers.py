"""Several processes that commit to one branch at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.memory import texts
from benchmarks.memory.plan import CLI, CONTEXA, INDEX, OURS, Bench, installed, open_side
from benchmarks.memory.rows import Row

MEASURE = "8 processes × 20 commits on one branch"
_PROCESSES, _EACH = 8, 20


class Told(NamedTuple):
    """What one process was told: titles of acknowledged records, errors by kind, seconds."""

    kept: list[str]
    errors: Counter[str]
    seconds: float


def measure(bench: Bench) -> Iterator[Row]:
    """Yield how many of the records are there afterwards."""
    for name in installed(OURS, CONTEXA, INDEX, CLI):
        bench.tell(f"{MEASURE}: {name}")
        yield from _side(name, bench.folder / "writers" / name.replace(" ", "-"))


def _side(name: str, folder: Path) -> Iterator[Row]:
    side = open_side(name, folder)
    side.commit(0)
    told = _run(name, folder)
    kept = {*side.titles()}
    wanted = [texts.title(number) for number in _numbers()]
    acknowledged = [title for one in told for title in one.kept]
    errors = sum((one.errors for one in told), Counter[str]())
    found = {
        "kept of 160": sum(title in kept for title in wanted),
        "acknowledged, then lost": sum(title not in kept for title in acknowledged),
        "errors that callers saw": errors.total(),
    }
    linear = {True: "linear", False: "not linear", None: "no history to be linear"}[side.linear()]
    side.close()
    notes = [linear, "", ", ".join(error for error, _ in errors.most_common(2))]
    for (case, value), note in zip(found.items(), notes, strict=True):
        yield Row(measure=MEASURE, case=case, side=name, value=value, note=note)
    seconds = max(one.seconds for one in told)
    yield Row(measure=MEASURE, case="time of all", side=name, value=seconds, unit="s")


def _run(name: str, folder: Path) -> list[Told]:
    context = get_context("spawn")
    start, answers = context.Barrier(_PROCESSES), context.Queue()
    processes = [
        context.Process(target=_write, args=(name, folder, number, start, answers))
        for number in range(_PROCESSES)
    ]
    for process in processes:
        process.start()
    told = [answers.get(timeout=300) for _ in processes]
    for process in processes:
        process.join()
    return told


def _write(name: str, folder: Path, process: int, start: Barrier, answers: Any) -> None:
    """Commit in a process of its own, and tell what came of it."""
    side = open_side(name, folder)
    kept, errors = list[str](), Counter[str]()
    start.wait(120)
    begin = time.perf_counter()
    for number in _numbers(process):
        try:
            side.commit(number)
            kept.append(texts.title(number))
        except Exception as error:  # whatever a caller would have to deal with
            errors[_kind(error)] += 1
    answers.put(Told(kept, errors, time.perf_counter() - begin))
    side.close()


def _numbers(process: int | None = None) -> Iterator[int]:
    for one in range(_PROCESSES) if process is None else [process]:
        yield from range(1_000 * (one + 1), 1_000 * (one + 1) + _EACH)


def _kind(error: Exception) -> str:
    first = (str(error).splitlines() or [""])[0]
    return "index.lock" if "index.lock" in first else f"{type(error).__name__}: {first[:40]}"
