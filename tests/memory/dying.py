"""Writers that die: forked children that end at a given call, or are killed at any moment."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from select import select
from typing import Any

from agentctx.memory.store import Store, wal
from agentctx.memory.store.disk import Disk
from agentctx.memory.store.journal import Journal
from tests.memory.storage import Counting, add, check, kept, step, story, told

FAST = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None  # death needs no real disk


def end(disk: Disk, name: str, given: tuple[Any, ...]) -> None:
    """End at once; a write gets half of its bytes out first."""
    if name == "write":
        os.write(given[0], given[1][: len(given[1]) // 2])
    os._exit(9)


def child(work: Callable[[Callable[[str], None]], None]) -> tuple[int, int]:
    """Fork a child that does `work` and tells what it has acknowledged; return its id and a pipe."""
    back, out = os.pipe()
    pid = os.fork()
    if pid:
        os.close(out)
        return pid, back
    try:
        work(lambda text: os.write(out, f"{text}\n".encode()) and None)
        os._exit(0)
    except BaseException as error:
        sys.stderr.write(f"{error!r}\n")
        os._exit(1)


def heard(pid: int, pipe: int) -> tuple[list[str], int]:
    """Return all that a child told before its end, and its exit status."""
    with os.fdopen(pipe) as told:
        lines = told.read().split("\n")[:-1]
    return lines, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def at_every_call(first: int, stride: int) -> int:
    """Let children die at every n-th call, look each time, and return how many did."""
    deaths = 0
    for at in range(first, 10_000, stride):
        with room() as folder:

            def work(tell: Callable[[str], None], folder: Path = folder, at: int = at) -> None:
                for kind, text in story(folder, Counting(at, end)):
                    tell(f"{kind}:{text}")

            told_lines, status = heard(*child(work))
            assert status in {0, 9}, (at, status)
            kept(
                folder,
                [(kind, text) for kind, _, text in (one.partition(":") for one in told_lines)],
            )
            if deaths % 8 == 0:
                check(folder)
        if status == 0:
            return deaths
        deaths += 1
    return deaths


def at_any_moment(times: int, seed: int) -> int:
    """Kill children again and again over a memory, and return how many commits they acknowledged."""
    chance = random.Random(seed)
    wal.OPERATIONS = 12  # so that there is a checkpoint under way at most times
    acknowledged = 0
    for first in range(0, times, 50):
        known: list[str] = []
        with room() as folder:
            for turn in range(first, min(times, first + 50)):
                known += killed(folder, turn, chance)
                look(folder, known, whole=turn % 10 == 0)
            look(folder, known, whole=True)
        acknowledged += len(known)
    return acknowledged


def killed(folder: Path, turn: int, chance: random.Random) -> list[str]:
    """Kill a child that commits and logs, and return what it told."""

    def work(tell: Callable[[str], None]) -> None:
        store = Store(folder)
        journal = Journal(folder / "journal" / "main.jsonl")
        for number in range(10_000):
            journal.append(step("a step"))
            add(store, f"{turn} {number}", number=number)
            tell(f"{turn} {number}")

    pid, pipe = child(work)
    select([pipe], [], [], 5 * (turn % 4 != 0))  # most live until their first commit
    time.sleep(chance.uniform(0, 0.06))
    os.kill(pid, signal.SIGKILL)
    lines, status = heard(pid, pipe)
    assert status == -signal.SIGKILL
    return lines


def look(folder: Path, known: list[str], whole: bool) -> None:
    """See that what was acknowledged stands in order, whatever else was under way."""
    with Store(folder) as store:
        tip = store.tip("main")
        texts = [node.title for node in store.walk(tip)][::-1] if tip else []
        assert not whole or texts == told(store)
    there = iter(texts)
    assert all(text in there for text in known), (known[-3:], texts[-3:])
    assert len(texts) == len(set(texts))
    if whole:
        check(folder)


class room:
    """A folder for a memory, gone afterwards."""

    def __enter__(self) -> Path:
        self.top = Path(tempfile.mkdtemp(dir=FAST))
        return self.top / "memory"

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.top)
