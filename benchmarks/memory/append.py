"""What one step costs in the path of the agent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.memory import texts
from benchmarks.memory.limits import Write
from benchmarks.memory.plan import CONTEXA, OURS, Bench, installed, open_side
from benchmarks.memory.rows import Row, timed_rows
from benchmarks.memory.timing import interleaved

MEASURE = "step append"
_TURNS, _BURST = 100, 10
_CONTEXA_UP_TO = 4_000
"""Each append there parses the whole log; at 100,000 steps one takes seconds."""


def measure(bench: Bench) -> Iterator[Row]:
    """Yield the time of an append behind so many steps."""
    sides: dict[str, Any] = {
        name: open_side(name, bench.folder / "steps" / name) for name in installed(OURS, CONTEXA)
    }
    limit, before = Write(bench.folder / "write"), 0
    for steps in bench.scale.steps:
        if steps > _CONTEXA_UP_TO:
            sides.pop(CONTEXA, None)
        bench.tell(f"{MEASURE}: {steps:,} steps")
        for side in sides.values():
            side.grow_log(before, steps)
        texts.prepare(range(_TURNS))
        calls = {name: side.log for name, side in sides.items()} | {"limit: one write": limit}
        times = interleaved(calls, _TURNS, bench.scale.seconds, _BURST)
        yield from timed_rows(MEASURE, f"{steps:,} steps", times, "µs")
        before = steps
    sides[OURS].close()
