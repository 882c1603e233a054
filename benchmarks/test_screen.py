"""How fast screens are read, and pyte beside them: `pytest benchmarks/test_screen.py`.

Targets: 100 KB of plain text in 1 ms; hostile text in time linear in its length.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pyte
import pytest

from agentctx.terminal.screen import screen

SIZE = 100_000


def repeated(piece: str, size: int = SIZE) -> str:
    return piece * (size // len(piece))


def frames(size: int = SIZE) -> str:
    """A build with ten steps, drawn again and again with cursor moves."""
    frame = "".join(
        f"\x1b[2K => step {i}: compiling module_{i} in the background\n" for i in range(10)
    )
    return repeated(frame + "\x1b[10A", size)


TEXTS: dict[str, Callable[[], str]] = {
    "plain": lambda: repeated("x" * 59 + "\n"),
    "plain, CR LF": lambda: repeated("x" * 58 + "\r\n"),
    "colours": lambda: repeated(
        "\x1b[32mPASSED\x1b[0m tests/unit/test_module.py::test_case_of_it\n"
    ),
    "CR progress": lambda: repeated("\r 42%|████████            | 42/100 [00:04<00:05, 10.1it/s]"),
    "CR and EL": lambda: repeated("remote: Counting objects:  42% (42/100)\x1b[K\r"),
    "cursor-up frames": frames,
    "plain, one cursor move": lambda: repeated("x" * 59 + "\n") + "\x1b[A\n",
    "wide, one cursor move": lambda: repeated("日本語の行です" * 5 + "\n") + "\x1b[A\n",
}

HOSTILE = {
    "escapes": "\x1b",
    "unfinished CSI": "\x1b[",
    "unfinished OSC": "\x1b]",
    "parameters": "\x1b[?7;",
    "backspaces": "x\b",
    "marks": "\u0301\r",
    "EL 1": "\x1b[1K",
    "DCH": "\x1b[P",
    "ICH": "\t\x1b[@",
    "ED 1": "\x1b[1J\n",
    "IL and DL": "\x1b[L\x1b[M",
    "jump and clear": "\x1b[99Bx\x1b[2J",
    "one line": "x",
}


def judged(text: str) -> None:
    screen = pyte.HistoryScreen(120, 40, history=100_000)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))


def best(read: Callable[[str], object], text: str, times: int) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        read(text)
        taken.append(time.perf_counter() - start)
    return min(taken)


@pytest.mark.parametrize("name", TEXTS)
def test_screen(benchmark: Any, name: str) -> None:
    text = TEXTS[name]()
    benchmark(screen, text)
    ours, theirs = best(screen, text, 5), best(judged, text, 1)
    benchmark.extra_info["MB/s"] = round(len(text.encode()) / ours / 1e6, 1)
    benchmark.extra_info["times as fast as pyte"] = round(theirs / ours)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(benchmark: Any, name: str) -> None:
    text = "x" * 3_000 + repeated(HOSTILE[name]) + "\x1b[A"
    four = "x" * 3_000 + repeated(HOSTILE[name], 4 * SIZE) + "\x1b[A"
    benchmark.pedantic(screen, (text,), rounds=3)
    benchmark.extra_info["time for four times as much"] = round(
        best(screen, four, 2) / best(screen, text, 3), 1
    )


@pytest.mark.parametrize("length", [919_878, 10_000_000])
def test_one_long_output(benchmark: Any, length: int) -> None:
    text = "x" * length + "\n\x1b[A\x1b[B"
    benchmark.pedantic(screen, (text,), rounds=2)
