"""What `agentctx exec` adds to a command: pytest-benchmark shows each as a ratio to bare `true`."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

import pytest

EXEC = [sys.executable, "-m", "agentctx", "exec"]
COMMANDS = {
    "true": ["true"],
    "python -c pass": [sys.executable, "-c", "pass"],
    "exec --raw true": [*EXEC, "--raw", "true"],
    "exec true, captured": [*EXEC, "true"],
    "exec --reduce true": [*EXEC, "--reduce", "true"],
    "exec, 2 KB that stay": [*EXEC, "--reduce", "seq", "500"],
    "exec, 50 KB that shrink": [*EXEC, "--reduce", "seq", "10000"],
}


@pytest.fixture(autouse=True)
def _own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENTCTX_DATA", str(tmp_path))


def captured(argv):
    subprocess.run(argv, capture_output=True, check=True)


@pytest.mark.benchmark(group="exec")
@pytest.mark.parametrize("name", COMMANDS)
def test_start(benchmark, name):
    captured(COMMANDS[name])
    benchmark.pedantic(captured, args=(COMMANDS[name],), rounds=15)


def test_exec_against_bare_commands_in_turn(benchmark):
    """Measure them in turn, so that a busy machine slows all alike; the ratios are in the report."""
    names = ("true", "python -c pass", "exec true, captured")
    took: dict[str, list[float]] = {name: [] for name in names}

    def turn():
        for name in names:
            begin = time.perf_counter()
            captured(COMMANDS[name])
            took[name].append(time.perf_counter() - begin)

    benchmark.pedantic(turn, rounds=25, warmup_rounds=2)
    bare, python, ours = (median(took[name]) for name in names)
    benchmark.extra_info |= {
        "exec over true, ms": round((ours - bare) * 1000, 1),
        "exec / true": round(ours / bare, 1),
        "exec / python -c pass": round(ours / python, 2),
    }
