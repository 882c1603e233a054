"""What a commit costs until it is acknowledged, and whether that grows with the history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.memory import texts
from benchmarks.memory.limits import Objects, Sync
from benchmarks.memory.ours import Ours
from benchmarks.memory.plan import OURS, Bench
from benchmarks.memory.rows import Row, timed_rows
from benchmarks.memory.side import Side
from benchmarks.memory.timing import Call, Times, interleaved, median

_OBJECTS = "limit: 7 files and fdatasync"
MEASURE = "commit until acknowledged (1 KB record and main.md)"


def measure(bench: Bench) -> Iterator[Row]:
    """Yield the time of a commit behind so many others, and how flat it is."""
    limits: dict[str, Call] = {
        "limit: fdatasync": Sync(bench.folder / "synced" / "log"),
        _OBJECTS: Objects(bench.folder / "objects" / "log"),
    }
    times = dict[int, Times]()
    for count in bench.scale.commits:
        sides = bench.grown(count)
        bench.tell(f"{MEASURE}: {count:,}")
        calls = {name: _next(side, bench.scale.rounds) for name, side in sides.items()} | limits
        times[count] = interleaved(calls, bench.scale.rounds, bench.scale.seconds)
        notes = {name: f"durable: {side.durable}" for name, side in sides.items()}
        yield from timed_rows(MEASURE, f"from {count:,} on", times[count], "ms", notes)
    yield from _flatness(times)
    yield from _all(bench.grown(0, OURS)[OURS])


def _next(side: Side, rounds: int) -> Call:
    """Return the call that writes the next record of a side, for so many rounds."""
    start = side.count
    texts.prepare(range(start, start + rounds))
    return lambda turn: side.commit(start + turn)


def _flatness(times: Mapping[int, Times]) -> Iterator[Row]:
    first, last = min(times), max(times)
    grown = {name: median(times[last][name]) / median(times[first][name]) for name in times[first]}
    for name, value in grown.items():
        note = f"{value / grown[_OBJECTS]:.2f}× of how much slower 7 files became meanwhile"
        case = f"growth from {first:,} to {last:,}"
        shown = note if name == OURS else ""
        yield Row(measure=MEASURE, case=case, side=name, value=value, unit="×", note=shown)


def _all(ours: Side) -> Iterator[Row]:
    """Yield what no turn may have met, such as the checkpoints."""
    if isinstance(ours, Ours):
        note = f"alone, checkpoints included; longest {max(ours.times) * 1e3:,.0f} ms"
        case = f"all {len(ours.times):,}"
        yield from timed_rows(MEASURE, case, {OURS: ours.times}, "ms", {OURS: note})
