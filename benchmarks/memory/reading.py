"""CONTEXT with K=1, and search, among many records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.memory import texts
from benchmarks.memory.plan import CLI, CONTEXA, INDEX, OURS, Bench
from benchmarks.memory.rows import Row, timed_rows
from benchmarks.memory.side import Side
from benchmarks.memory.timing import Call, interleaved, timed

MEASURE = "reading"
_CONTEXT = {
    OURS: "context(level branch)",
    CONTEXA: "context(k=1)",
    INDEX: "blobs of HEAD",
    CLI: "git show",
}
_SEARCH = {CONTEXA: "has none: context(k=all), then `in`", CLI: "git log --grep"}
_ROUNDS = 100


def measure(bench: Bench) -> Iterator[Row]:
    """Yield what a warm process pays to read."""
    count = max(bench.scale.commits)
    case = f"{count:,} records"
    sides = bench.grown(count, *_CONTEXT)
    bench.tell(f"{MEASURE}: {case}")
    times = interleaved(_latest(sides), _ROUNDS, bench.scale.seconds)
    yield from timed_rows(MEASURE, f"CONTEXT K=1, {case}", times, "ms", _CONTEXT)
    sides = bench.grown(count, OURS, *_SEARCH)
    first = timed(_search(sides[OURS]))
    notes = _SEARCH | {OURS: f"FTS5; the first one indexed all in {first:.1f} s"}
    calls = {name: _search(side) for name, side in sides.items()}
    times = interleaved(calls, _ROUNDS, bench.scale.seconds)
    yield from timed_rows(MEASURE, f"search, {case}", times, "ms", notes)


def _latest(sides: Mapping[str, Side]) -> dict[str, Call]:
    return {name: _called(side) for name, side in sides.items()}


def _called(side: Side) -> Call:
    return lambda _: side.latest()


def _search(side: Side) -> Call:
    return lambda _: side.search(texts.NEEDLE)
