"""`python -m benchmarks.rules`: what rules cost: a line, an output, a stream, and hostile input.

Limits: 10 us a line with 300 rules loaded, p99 of 10 ms for an output of 1,000 lines, 64 MiB for a
stream of 1 GiB, and twice the time for twice the input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import Annotated, Any

import typer

from agentctx.terminal.lines import Line
from agentctx.terminal.reduce import Limits, reduce
from agentctx.terminal.rules import pack
from agentctx.terminal.rules.book import Book
from agentctx.terminal.rules.rule import Rule
from agentctx.terminal.rules.strip import strip
from agentctx.terminal.window import Window
from agentctx.tokens import estimate
from agentctx.values import Observation

RULES, LINES, STREAM = 300, 1_000, 1 << 30
HOSTILE = ("(" * 50, "a" * 5_000, "\x1b[" * 50, " ok" * 500, "x\b" * 200)


def main(
    stream: Annotated[bool, typer.Option(help="Also 1 GiB through `agentctx exec`.")] = True,
) -> None:
    """Print one JSON object for each measure."""
    book = Book(many(RULES))
    samples = list(outputs())
    show("a line, rules of its command", per_line(samples, book.chosen), "us", 10)
    show("a line, all 300 rules at once", per_line(samples, lambda *_: book.rules), "us", 10)
    took = sorted(whole(samples, book))
    show("an output of 1,000 lines, median", took[len(took) // 2], "ms", 10)
    show("an output of 1,000 lines, p99", took[int(len(took) * 0.99)], "ms", 10)
    for text in HOSTILE:
        show(f"twice as much of {text[:8]!r}", growth(text, book), "times", 2.5)
    if stream:
        seconds, peak = streamed()
        show("1 GiB through exec", peak, "MiB", 64)
        show("1 GiB through exec", STREAM / 2**20 / seconds, "MiB/s", None)


def many(count: int) -> list[Rule]:
    """Return the rules that ship and as many variants of them as make up the rest."""
    shipped = pack.shipped()
    found = list(shipped)
    for number, rule in enumerate(islice(cycle(shipped), count - len(shipped))):
        strips = tuple(f"{p}(?:v{number})?"[:512] for p in rule.strip_patterns)
        found.append(replace(rule, rule_id=f"{rule.rule_id}-{number}", strip_patterns=strips))
    return found


def outputs() -> Iterator[Observation]:
    """Yield the outputs that prove the rules, each repeated to 1,000 lines."""
    for place in pack.packs():
        for rule in pack.load(place):
            for sample in pack.with_outputs(rule, place).tests:
                lines = list(islice(cycle(sample.output.split("\n")), LINES))
                yield Observation(output="\n".join(lines), command=sample.command, exit_code=0)


def per_line(
    samples: Sequence[Observation], chosen: Callable[[Observation, int], tuple[Rule, ...]]
) -> float:
    """Return the microseconds that the step of rules takes for a line."""
    took = count = 0.0
    for seen in samples:
        lines = [Line(text, n, n) for n, text in enumerate(seen.output.split("\n"), 1)]
        free, keep = [True] * len(lines), [False] * len(lines)
        rules = chosen(seen, len(lines))
        strip(lines[:5], free[:5], keep[:5], rules)  # the sets of patterns are built once
        begin = time.perf_counter()
        strip(lines, free, keep, rules)
        took += time.perf_counter() - begin
        count += len(lines)
    return took / count * 1e6


def whole(samples: Sequence[Observation], book: Book) -> Iterator[float]:
    """Yield the milliseconds that the whole chain takes for each output, several times."""
    for number in range(12):
        for seen in samples:
            begin = time.perf_counter()
            reduced(seen, book)
            if number > 1:
                yield (time.perf_counter() - begin) * 1e3


def growth(text: str, book: Book) -> float:
    """Return how many times as long twice the lines take."""

    def best(lines: int) -> float:
        seen = Observation(output="\n".join([text] * lines), command="pytest -v; make; npm i")
        runs = []
        for _ in range(5):
            begin = time.perf_counter()
            reduced(seen, book)
            runs.append(time.perf_counter() - begin)
        return min(runs)

    return best(2_000) / best(1_000)


def reduced(seen: Observation, book: Book) -> None:
    reduce(
        seen,
        window=Window(),
        handle="000000",
        way="expand 000000",
        count=estimate,
        limits=Limits(),
        chosen=book.chosen,
    )


def streamed() -> tuple[float, float]:
    """Return the seconds and the MiB at the peak of `agentctx exec` that prints 1 GiB."""
    command = f"yes 'step 17 of the build is done and took 3 ms' | head -c {STREAM}"
    script = (
        "import resource, subprocess, sys; "
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    with tempfile.TemporaryDirectory() as data:
        run = [sys.executable, "-c", script, sys.executable, "-m", "agentctx", "exec", "--reduce"]
        begin = time.perf_counter()
        done = subprocess.run(
            [*run, "--", "sh", "-c", command],
            env={**os.environ, "AGENTCTX_DATA": data},
            check=True,
            capture_output=True,
        )
        seconds = time.perf_counter() - begin
    scale = 1 if sys.platform == "darwin" else 1024
    return seconds, int(done.stdout) * scale / 2**20


def show(name: str, value: float, unit: str, limit: float | None) -> None:
    line: dict[str, Any] = {"measure": name, "value": round(value, 2), "unit": unit}
    typer.echo(json.dumps(line | ({"limit": limit} if limit else {})))


if __name__ == "__main__":
    typer.run(main)
