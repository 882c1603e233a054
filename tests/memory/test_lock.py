from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from agentctx.errors import MemoryLocked, MemoryStoreError
from agentctx.memory.store.lock import Lock
from tests.processes import finish, posix, run, start

HOLDER = """
    import sys, time
    from pathlib import Path
    from agentctx.memory.store.lock import Lock
    with Lock(Path(sys.argv[1])):
        print("held", flush=True)
        time.sleep(float(sys.argv[2]))
    print("0")
"""
TURNS = """
    import sys, time
    from pathlib import Path
    from agentctx.memory.store.lock import Lock
    lock = Lock(Path(sys.argv[1]))
    print("0", flush=True)
    for _ in range(40):
        with lock:
            time.sleep(0.02)
"""

FORKED = """
    import os, signal, sys, time
    from pathlib import Path
    from agentctx.memory.store.lock import Lock
    with Lock(Path(sys.argv[1])):
        child = os.fork()
        if not child:
            time.sleep(60)
    with Lock(Path(sys.argv[1]), patience=1):
        print("0")
    os.kill(child, signal.SIGKILL)
"""


def test_one_thread_at_a_time_holds_it(tmp_path: Path) -> None:
    locks = [Lock(tmp_path / "lock"), Lock(tmp_path / "lock")]
    holders, most = [], []

    def work(lock: Lock) -> None:
        for _ in range(20):
            with lock:
                holders.append(1)
                most.append(len(holders))
                time.sleep(0.001)
                holders.pop()

    threads = [threading.Thread(target=work, args=(lock,)) for lock in locks * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 120


@posix
def test_it_is_free_as_soon_as_its_process_is_dead(tmp_path: Path) -> None:
    holder = start(HOLDER, tmp_path / "lock", 60)
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    with (
        pytest.raises(MemoryLocked, match="by another process"),
        Lock(tmp_path / "lock", patience=0.1),
    ):
        pass
    os.kill(holder.pid, signal.SIGKILL)
    with Lock(tmp_path / "lock", patience=5):
        pass
    holder.communicate()


@posix
def test_a_forked_child_does_not_keep_what_its_parent_let_go(tmp_path: Path) -> None:
    assert run(FORKED, tmp_path / "lock") == 0


@posix
def test_who_waits_is_patient_as_long_as_others_come_and_go(tmp_path: Path) -> None:
    others = [start(TURNS, tmp_path / "lock") for _ in range(2)]
    for other in others:
        assert other.stdout
        other.stdout.readline()
    for _ in range(3):
        with Lock(tmp_path / "lock", patience=0.3):
            pass
    for other in others:
        finish(other)


def test_a_thread_that_holds_it_cannot_take_it_again(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "lock")
    with lock:
        with pytest.raises(MemoryStoreError, match="this very thread"), lock:
            pass
        with pytest.raises(MemoryLocked), Lock(tmp_path / "lock", patience=0.05):
            pass
    with lock:
        pass


@posix
def test_a_file_that_was_removed_meanwhile_counts_no_more(tmp_path: Path) -> None:
    with Lock(tmp_path / "lock"):
        (tmp_path / "lock").unlink()
        with Lock(tmp_path / "lock", patience=0.05):
            assert (tmp_path / "lock").exists()


def test_what_cannot_be_locked_is_no_lock_that_is_held(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "none" / "lock")
    for _ in range(2):
        with pytest.raises(FileNotFoundError), lock:
            pass
