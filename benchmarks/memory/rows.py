"""Rows of the result, as JSON values and as tables with the ratio to ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from rich.table import Table

from benchmarks.memory.plan import OURS
from benchmarks.memory.timing import Times, median, p99

_SCALE = {"µs": 1e6, "ms": 1e3, "s": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one side showed in one case."""

    measure: str
    case: str
    side: str
    value: float | None = None
    unit: str = ""
    p99: float | None = None
    runs: int = 0
    note: str = ""


def timed_rows(
    measure: str, case: str, times: Times, unit: str, notes: Mapping[str, str] | None = None
) -> Iterator[Row]:
    """Yield one row a side, with the median of its times."""
    for side, taken in times.items():
        yield Row(
            measure=measure,
            case=case,
            side=side,
            value=median(taken) * _SCALE[unit],
            unit=unit,
            p99=p99(taken) * _SCALE[unit],
            runs=len(taken),
            note=(notes or {}).get(side, ""),
        )


def values(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the rows as JSON values."""
    return [{**asdict(row), "ratio": ratio} for row, ratio in _with_ratios(rows)]


def tables(rows: Sequence[Row]) -> Iterator[Table]:
    """Yield one table a measure."""
    for measure, found in groupby(_with_ratios(rows), lambda pair: pair[0].measure):
        table = Table(title=measure, title_justify="left")
        for name in ("case", "side", "median", "p99", "× ours", "turns", "note"):
            right = name in ("median", "p99", "× ours", "turns")
            table.add_column(name, justify="right" if right else "left", overflow="fold")
        above = ""
        for row, ratio in found:
            table.add_row(row.case if row.case != above else "", row.side, *_cells(row, ratio))
            above = row.case
        yield table


def _with_ratios(rows: Iterable[Row]) -> Iterator[tuple[Row, float | None]]:
    rows = list(rows)
    ours = {(r.measure, r.case, r.unit): r.value for r in rows if r.side == OURS}
    for row in rows:
        base = ours.get((row.measure, row.case, row.unit))
        yield row, row.value / base if base and row.value is not None else None


def _cells(row: Row, ratio: float | None) -> Iterator[str]:
    yield "–" if row.value is None else f"{_number(row.value)} {row.unit}"
    yield "" if row.p99 is None else _number(row.p99)
    yield "" if ratio is None or row.side == OURS else f"{_number(ratio)}×"
    yield str(row.runs or "")
    yield row.note


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
