"""What agentctx adds to a turn. Targets: observe p99 ≤ 20 ms for 100 KB, rewrite ≤ 10 ms for 200."""

from __future__ import annotations

import random
import statistics
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from agentctx.session import Session
from agentctx.tokens import counter
from agentctx.values import Observation

ROUNDS = 200
WINDOW = 4_000_000
"""Characters that one conversation shows: about the million tokens of the largest windows."""


def log(size: int, seed: int) -> str:
    """A test log of about `size` characters with a few failures and repeats in it."""
    chosen = random.Random(seed)
    lines = ["============ test session starts ============"]
    while sum(map(len, lines[-50:])) and len(lines) * 60 < size:
        i = chosen.randrange(10_000)
        lines.append(
            f"tests/unit/test_module_{i % 97}.py::test_case_{i} PASSED       [{i % 100:3}%]"
        )
        if i % 400 == 0:
            lines.append(f"E   AssertionError: expected {i}, got {i + 1}")
        if i % 300 == 0:
            lines += [f"  warning: retrying request {i % 7}"] * 12
    return "\n".join(lines)[:size]


@pytest.mark.parametrize("size", [1_000, 10_000, 100_000])
def test_observe(benchmark: Any, tmp_path: Path, size: int) -> None:
    seeds = count()
    session = Session("0", data=tmp_path, expand_hint="agentctx expand {handle}")

    def fresh() -> tuple[tuple[Session, Observation], dict[str, Any]]:
        nonlocal session
        seed = next(seeds)
        if seed * size % WINDOW < size:
            session = session.named(str(seed))
            session.observe(Observation(output=log(2_000, -1), command="pytest"))
        return (session, Observation(output=log(size, seed), command="pytest -v")), {}

    benchmark.pedantic(Session.observe, setup=fresh, rounds=ROUNDS)
    benchmark.extra_info["times_tokenizing"] = round(
        benchmark.stats.stats.median / _tokenizing(log(size, 0)), 2
    )
    _report(benchmark)


def _tokenizing(text: str) -> float:
    """Seconds that the tokenizer alone takes for a text: the limit of any exact decision."""
    count = counter().count
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        count(text)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


@pytest.mark.parametrize("messages", [20, 200])
def test_rewrite_when_all_is_decided(benchmark: Any, tmp_path: Path, messages: int) -> None:
    session = Session(data=tmp_path)
    payload: dict[str, Any] = {
        "model": "gpt-5",
        "tools": [{"type": "function", "function": {"name": "bash"}}],
        "messages": [{"role": "user", "content": "Mend the test."}],
    }
    payload = session.offer(payload)
    for turn in range(messages // 2):
        function = {"name": "bash", "arguments": '{"command": "pytest -v"}'}
        asked = {"id": f"c{turn}", "type": "function", "function": function}
        payload["messages"] += [
            {"role": "assistant", "content": None, "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": f"c{turn}", "content": log(4_000, turn)},
        ]
        session.rewrite(payload)
    benchmark.pedantic(session.rewrite, args=(payload,), rounds=ROUNDS)
    _report(benchmark)


def _report(benchmark: Any) -> None:
    times = sorted(benchmark.stats.stats.data)
    benchmark.extra_info["p99_ms"] = round(times[int(len(times) * 0.99)] * 1e3, 2)
