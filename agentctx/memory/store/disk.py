"""The calls by which memory writes, in one place: what a crash may come between."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from agentctx.errors import MemoryFull, MemoryStoreError
from agentctx.files import remedy, sync_folder

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

_BLOCK = 1 << 16
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Disk:
    """The real disk. A subclass may watch, refuse or end at any of these calls."""

    def open(self, path: Path, flags: int) -> int:
        """Return a descriptor that no child inherits; a new file is for this user only."""
        return os.open(path, flags | _FLAGS, 0o600)

    def write(self, descriptor: int, data: bytes) -> int:
        """Write as much as fits and return how many bytes that was."""
        return os.write(descriptor, data)

    def truncate(self, descriptor: int, size: int) -> None:
        """Cut a file off at `size`."""
        os.ftruncate(descriptor, size)

    def sync(self, descriptor: int) -> None:
        """Return once a file's bytes survive a power cut."""
        if sys.platform == "darwin":
            import fcntl

            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)  # fsync there leaves them in the drive
        else:
            getattr(os, "fdatasync", os.fsync)(descriptor)

    def sync_folder(self, folder: Path) -> None:
        """Return once the names in a folder survive a power cut."""
        sync_folder(folder)

    def replace(self, path: Path, target: Path) -> None:
        """Give a file its final name."""
        path.replace(target)

    def unlink(self, path: Path) -> None:
        """Remove a file, if it is still there."""
        path.unlink(missing_ok=True)

    def through(
        self, call: Callable[Arguments, Answer], *given: Arguments.args, **named: Arguments.kwargs
    ) -> Answer:
        """Return what another library's `call` answers that writes by itself."""
        return call(*given, **named)

    def publish(self, data: bytes, target: Path) -> None:
        """Put a file in the place of `target`, which the caller has locked: all of it, durably."""
        scratch = target.with_name(f"tmp_{target.name}")
        descriptor = self.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            whole(self, descriptor, data)
            self.sync(descriptor)
        finally:
            os.close(descriptor)
        self.replace(scratch, target)
        self.sync_folder(target.parent)


def whole(disk: Disk, descriptor: int, data: bytes) -> None:
    """Write all of `data`; on a full disk the system says why at the call after the short one."""
    view = memoryview(data)
    while view:
        view = view[disk.write(descriptor, bytes(view) if len(view) < len(data) else data) :]


def read_at(descriptor: int, start: int, end: int) -> bytes:
    """Return the bytes of a file from `start` to `end`, fewer if there are no more."""
    pieces: list[bytes] = []
    while start < end and (piece := _piece(descriptor, start, end - start)):
        pieces.append(piece)
        start += len(piece)
    return b"".join(pieces)


def _piece(descriptor: int, start: int, size: int) -> bytes:
    if sys.platform != "win32":
        return os.pread(descriptor, size, start)  # a forked child shares the place of the other
    os.lseek(descriptor, start, os.SEEK_SET)
    return os.read(descriptor, size)


def line_end(descriptor: int) -> int:
    """Return how many bytes of a file stand before the end of its last whole line."""
    at = os.fstat(descriptor).st_size
    while at > 0:
        start = max(0, at - _BLOCK)
        if found := read_at(descriptor, start, at).rfind(b"\n") + 1:
            return start + found
        at = start
    return 0


def refused(thing: str, error: Exception) -> MemoryFull:
    """Return the error to raise when the disk, or a library that writes to it, said no."""
    return MemoryFull(f"{thing} was not written: {reason(error)}, then do it again")


def unread(thing: str, error: Exception) -> MemoryStoreError:
    """Return the error to raise when something may well be there, and reading it failed."""
    return MemoryStoreError(f"{thing} was not read: {reason(error)}, then do it again")


def reason(error: Exception) -> str:
    """Return why the disk, or a library that writes to it, said no, and what helps."""
    if isinstance(error, OSError) and error.errno is not None:
        return remedy(error)
    return f"{' '.join(str(error).split()) or type(error).__name__}: check the disk"
