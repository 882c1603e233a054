"""The whole chain, for logs of one length."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from agentctx.terminal.reduce import Limits, reduce, shown
from agentctx.terminal.rules import pack
from agentctx.terminal.rules.book import Book
from agentctx.terminal.rules.scope import scope_of
from agentctx.terminal.window import Window
from agentctx.tokens import counter, estimate
from agentctx.values import Observation

LINES, ROUNDS = 1_000, 5
COUNT = counter().count
SHIPPED = Book(pack.shipped())


def figures(outputs: Sequence[Observation]) -> Iterator[dict[str, Any]]:
    """Yield the time of the whole chain for 1,000 lines of one program, the last ones in view."""
    logs = list(_logs(outputs))
    pairs = list(zip(logs, [None, *logs], strict=False))
    for name, count in {"estimated": estimate, "counted": COUNT}.items():
        works = [partial(seconds, log, before=before, count=count) for log, before in pairs]
        took = sorted(min(work() for _ in range(ROUNDS)) * 1000 for work in works)
        yield {
            "case": f"reduce {LINES} lines, tokens {name}",
            "outputs": len(took),
            "median_ms": round(statistics.median(took), 2),
            "p99_ms": round(took[int(len(took) * 0.99)], 2),
            "limit": 10,
        }
    took = sorted(min(_counting(log.output) for _ in range(ROUNDS)) * 1000 for log in logs)
    yield {
        "case": f"only count the tokens of {LINES} lines",
        "median_ms": round(statistics.median(took), 2),
    }


def seconds(
    observation: Observation,
    book: Book = SHIPPED,
    before: Observation | None = None,
    count: Callable[[str], int] = COUNT,
) -> float:
    """Return the seconds that a reduction takes."""
    window = Window()
    if before:
        window.add(shown("before", before.command, before.output))
    begin = time.thread_time()
    reduce(
        observation,
        window=window,
        handle="000000",
        way="expand 000000",
        count=count,
        limits=Limits(),
        chosen=book.chosen,
    )
    return time.thread_time() - begin


def _counting(text: str) -> float:
    begin = time.thread_time()
    COUNT(text)
    return time.thread_time() - begin


def _logs(outputs: Sequence[Observation]) -> Iterator[Observation]:
    held: dict[str, list[str]] = {}
    for each in outputs:
        lines = held.setdefault(str(scope_of(each.command) or ""), [])
        lines += each.output.splitlines()
        while len(lines) >= LINES:
            yield replace(each, output="\n".join(lines[:LINES]))
            del lines[:LINES]
