"""`python -m benchmarks.memory`: the measurements of memory, one after another."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.memory import append, commits, growth, reading, resume, writers
from benchmarks.memory.plan import MISSING, QUICK, Bench, Scale
from benchmarks.memory.rows import Row, tables, values

Measure = Callable[[Bench], Iterator[Row]]
MEASURES = MappingProxyType(
    {
        "append": append.measure,
        "commits": commits.measure,
        "reading": reading.measure,
        "resume": resume.measure,
        "writers": writers.measure,
        "growth": growth.measure,
    }
)


def main(
    quick: Annotated[bool, typer.Option(help="Fewer records and turns: three minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, not tables.")] = False,
    only: Annotated[list[str] | None, typer.Option(help="Measure this; repeatable.")] = None,
) -> None:
    """Measure versioned memory beside its peers."""
    if unknown := {*(only or ())} - {*MEASURES}:
        raise typer.BadParameter(f"{unknown.pop()!r} is none of {', '.join(MEASURES)}")
    chosen = [one for name, one in MEASURES.items() if not only or name in only]
    rows = list(_run(chosen, QUICK if quick else Scale()))
    if as_json:
        sys.stdout.write(f"{json.dumps(values(rows), indent=1)}\n")
        return
    console = Console()
    console.width = max(console.width, 130)
    for table in tables(rows):
        console.print(table)
    if MISSING:
        console.print(MISSING)


def _run(chosen: Sequence[Measure], scale: Scale) -> Iterator[Row]:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    shown = Progress(*columns, console=Console(stderr=True), transient=True)
    with tempfile.TemporaryDirectory(prefix="agentctx-bench-") as folder, shown:
        task = shown.add_task("memory", total=len(chosen))
        bench = Bench(
            folder=Path(folder),
            scale=scale,
            tell=lambda said: shown.update(task, description=said),
        )
        for measure in chosen:
            yield from measure(bench)
            shown.advance(task)
        bench.close()


if __name__ == "__main__":
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]  # the user's repository and settings are none of ours
    os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    typer.run(main)
