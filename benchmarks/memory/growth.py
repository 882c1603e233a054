"""Bytes on disk while a history grows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agentctx.memory.store import Store
from agentctx.memory.store.paths import head
from benchmarks.memory import texts
from benchmarks.memory.git_sides import GitPythonLog
from benchmarks.memory.ours import Ours
from benchmarks.memory.plan import OURS, Bench
from benchmarks.memory.rows import Row

MEASURE = "bytes on disk, commits that contribute 500 B"
STORE = f"{OURS}, the store alone"


def measure(bench: Bench) -> Iterator[Row]:
    """Yield bytes of loose objects at their peak, and of packs at the end."""
    for count in bench.scale.grown:
        bench.tell(f"{MEASURE}: {count:,} commits")
        yield from _ours(bench.folder / f"grown-{count}", count)
        yield from _entries(bench.folder / f"entries-{count}", count)
        yield from _log(bench.folder / f"log-{count}", count)


def _ours(folder: Path, count: int) -> Iterator[Row]:
    side, git, peak = Ours(folder, size=500, revises=False), folder / "memory.git", 0
    for number in range(count):
        side.commit(number)
        if number % 16 == 15 or number == count - 1:
            peak = max(peak, _size(git, "objects/??/*"))
    side.memory.store.checkpoint()
    side.close()
    yield from _rows(OURS, count, peak, git)
    yield _row(f"{count:,}: whole folder", OURS, _size(folder, "**/*"))


def _entries(folder: Path, count: int) -> Iterator[Row]:
    """Yield the same for commits that write 500 B as they are, as the layouts of git are compared."""
    git, peak, branch = folder / "memory.git", 0, head("main")
    with Store(folder) as store:
        for number in range(count):
            with store.transaction("commit") as change:
                tip = change.tip("main")
                change.put(
                    branch,
                    files={f"entries/{number // 100:04}/{number:06}.md": texts.record(number, 500)},
                    parents=[tip] if tip else [],
                    base=tip,
                    title=texts.title(number),
                    trailers={},
                    at=time.time(),
                )
            if number % 16 == 15 or number == count - 1:
                peak = max(peak, _size(git, "objects/??/*"))
        store.checkpoint()
    yield from _rows(STORE, count, peak, git)


def _log(folder: Path, count: int) -> Iterator[Row]:
    side = GitPythonLog(folder)
    for number in range(count):
        side.commit(number)
    peak = _size(folder / ".git", "objects/??/*")
    side.run("gc", "--quiet")
    side.close()
    yield from _rows(side.name, count, peak, folder / ".git")
    yield _row(f"{count:,}: whole folder", side.name, _size(folder, "**/*"))


def _rows(side: str, count: int, peak: int, git: Path) -> Iterator[Row]:
    yield _row(f"{count:,}: loose at the peak", side, peak)
    yield _row(f"{count:,}: packed at the end", side, _size(git, "objects/pack/*.pack"))


def _row(case: str, side: str, size: int) -> Row:
    return Row(measure=MEASURE, case=case, side=side, value=size / 1e6, unit="MB")


def _size(folder: Path, pattern: str) -> int:
    return sum(map(_bytes, folder.glob(pattern)))


def _bytes(path: Path) -> int:
    with suppress(FileNotFoundError):  # packed meanwhile
        return path.stat().st_size if path.is_file() else 0
    return 0
