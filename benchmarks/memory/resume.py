"""A new process that opens a long history and recalls where the work stands."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.memory.plan import CONTEXA, INDEX, OURS, Bench
from benchmarks.memory.rows import Row, timed_rows

MEASURE = "resume in a new process"


def measure(bench: Bench) -> Iterator[Row]:
    """Yield what opening and recalling takes, without and with Python's start and imports."""
    count = max(bench.scale.commits)
    names = list(bench.grown(count, OURS, CONTEXA, INDEX))
    bench.close()
    inner: dict[str, list[float]] = {name: [] for name in names}
    outer: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(bench.scale.resumed):
        bench.tell(f"{MEASURE}: {turn + 1} of {bench.scale.resumed}")
        for name in names:
            begin = time.perf_counter()
            inner[name].append(_fresh(name, bench.place(name)))
            outer[name].append(time.perf_counter() - begin)
    yield from timed_rows(MEASURE, f"open and recall, {count:,} records", inner, "ms")
    yield from timed_rows(MEASURE, "with Python's start and imports", outer, "ms")


def _fresh(name: str, folder: Path) -> float:
    command = [sys.executable, "-m", "benchmarks.memory.fresh", name, str(folder)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return float(done.stdout)
