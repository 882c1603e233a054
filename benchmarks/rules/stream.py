"""The memory of `agentctx exec` while a command prints without end."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from agentctx.values import Observation

SPEAKER = """
import sys
for i in range(int(sys.argv[1]) << 10):
    lines = (f"tests/unit/test_{i % 97}.py::test_case_{j} PASSED [ 42%]\\n" for j in range(i * 20, i * 20 + 20))
    sys.stdout.write("".join(lines).ljust(1023, "=") + "\\n")
"""
"""Prints so many MiB of lines that differ, in pieces of 1 KiB."""
PLAYER = """
import pathlib, sys
log = pathlib.Path(__file__).with_name("log").read_bytes()
for _ in range((int(sys.argv[1]) << 20) // len(log) + 1):
    sys.stdout.buffer.write(log)
"""
"""Prints a log again and again, until it is so many MiB at least."""
WATCHER = """
import resource, subprocess, sys, time
begin = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(code, peak, time.perf_counter() - begin)
"""
"""Runs a command and prints its peak memory; a process of its own, as that of a fork counts, too."""


def figures(mebibytes: int, outputs: Sequence[Observation]) -> Iterator[dict[str, Any]]:
    """Yield the peak memory of `agentctx exec` while a command prints so much."""
    if not mebibytes:
        return
    log = "\n".join(each.output for each in outputs)
    for name, script in {"lines that differ": SPEAKER, "recorded logs": PLAYER}.items():
        yield _figure(name, script, log, mebibytes)


def _figure(name: str, script: str, log: str, mebibytes: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "log").write_text(log, encoding="utf-8", errors="surrogatepass")
        speaker = Path(folder, "pytest")
        speaker.write_text(f"#!{sys.executable}{script}")
        speaker.chmod(0o700)
        argv = [sys.executable, "-m", "agentctx", "exec", "--reduce", str(speaker), str(mebibytes)]
        done = subprocess.run(
            [sys.executable, "-c", WATCHER, *argv],
            env={**os.environ, "AGENTCTX_DATA": folder},
            capture_output=True,
            check=True,
        )
    code, peak, took = map(float, done.stdout.split())
    return {
        "case": f"exec, a stream of {mebibytes} MiB, {name}",
        "exit_code": int(code),
        "peak_rss_mib": round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1),
        "limit": 64,
        "mib_per_s": round(mebibytes / took, 1),
    }
