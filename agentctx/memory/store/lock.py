"""The one lock of a memory: it ends with its process, however that ends."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from agentctx.errors import MemoryLocked, MemoryStoreError

_SHORT, _LONG = 0.0005, 0.01


class Lock:
    """Held by one thread of one process. Waits as long as holders change at least every 30 s."""

    def __init__(self, path: Path, *, patience: float = 30.0) -> None:
        """Lock `path`, a file that is made and never removed; `patience` is in seconds."""
        self.path, self.patience = path, patience
        self._threads, self._owner = threading.Lock(), 0
        self._release: Callable[[], None] = _nothing

    def __enter__(self) -> Lock:
        """Wait for the lock.

        Raises:
            MemoryLocked: one holder kept it for longer than the patience.
            MemoryStoreError: this thread holds it already.
        """
        self._enter_alone()
        try:
            self._release = _take(self.path, self.patience)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, *raised: object) -> None:
        """Let the next one in."""
        try:
            self._release()
        finally:
            self._leave()

    def _enter_alone(self) -> None:
        if self._owner == threading.get_ident():
            raise MemoryStoreError(
                f"{str(self.path)!r} is held by this very thread: end its transaction first"
            )
        if not self._threads.acquire(timeout=self.patience):
            raise _held(self.path, self.patience)
        self._owner = threading.get_ident()

    def _leave(self) -> None:
        self._release, self._owner = _nothing, 0
        self._threads.release()


def _nothing() -> None:
    pass


def _held(path: Path, patience: float) -> MemoryLocked:
    return MemoryLocked(
        f"{str(path)!r} has been held for {patience:g} s by another process: "
        "wait for it, or end it, and do this again"
    )


def _take(path: Path, patience: float) -> Callable[[], None]:
    return _take_file(path, patience) if os.name == "nt" else _take_flock(path, patience)


def _take_flock(path: Path, patience: float) -> Callable[[], None]:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _wait(descriptor, path, patience)
            os.utime(descriptor)  # tells those who wait that it is another's turn now
            if same(descriptor, path):
                return lambda: _free(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # somebody removed the file: another one counts now


def _wait(descriptor: int, path: Path, patience: float) -> None:
    turn, since, pause = 0, time.monotonic(), _SHORT
    while not shut(descriptor):
        seen = os.fstat(descriptor).st_mtime_ns
        if seen != turn:
            turn, since = seen, time.monotonic()
        elif time.monotonic() - since >= patience:
            raise _held(path, patience)
        time.sleep(pause)
        pause = min(pause * 1.5, _LONG)


def shut(descriptor: int, *, shared: bool = False, wait: bool = False) -> bool:
    """Return whether an open file could be locked with flock."""
    import fcntl

    how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    try:
        fcntl.flock(descriptor, how)
    except BlockingIOError:
        return False
    return True


def same(descriptor: int, path: Path) -> bool:
    """Return whether an open file is the one that bears a name now."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _free(descriptor: int) -> None:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # a forked child may still have it open
    finally:
        os.close(descriptor)


def _take_file(path: Path, patience: float) -> Callable[[], None]:
    import filelock

    held = filelock.FileLock(path)
    try:
        held.acquire(timeout=patience)
    except filelock.Timeout:
        raise _held(path, patience) from None
    return held.release
