"""The slim history of all operations before those in the write-ahead log."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from agentctx.memory.store import lines, operation
from agentctx.memory.store.disk import Disk, line_end, whole
from agentctx.memory.store.operation import Operation

_BLOCK = 1 << 16
_BEFORE = 4_096  # more operations than one checkpoint adds, so that one cut off is not added twice


class History:
    """`operations.jsonl`: one checksummed line an operation, oldest first."""

    def __init__(self, path: Path, disk: Disk) -> None:
        """Use the file at `path`; it is made when something is added."""
        self._path, self._disk = path, disk

    def add(self, made: Sequence[Operation]) -> None:
        """Append those that are not there yet, durably."""
        known = {operation.id for operation in islice(self.newest(), _BEFORE)}
        text = b"".join(
            lines.encode(operation.write(one.slim)) for one in made if one.id not in known
        )
        descriptor = self._disk.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            self._append(descriptor, text)
        finally:
            os.close(descriptor)
        self._disk.sync_folder(self._path.parent)

    def newest(self) -> Iterator[Operation]:
        """Yield the operations, newest first, reading no more of the file than is asked for."""
        try:
            descriptor = os.open(self._path, os.O_RDONLY)
        except FileNotFoundError:
            return
        with os.fdopen(descriptor, "rb") as file:
            for data in _backwards(file, os.fstat(descriptor).st_size):
                yield from _newest(data)

    def _append(self, descriptor: int, text: bytes) -> None:
        end = line_end(descriptor)
        if end < os.fstat(descriptor).st_size:  # what a power cut left of a checkpoint
            self._disk.truncate(descriptor, end)
        try:
            whole(self._disk, descriptor, text)
            self._disk.sync(descriptor)
        except OSError:
            self._disk.truncate(descriptor, end)
            raise


def _backwards(file: BinaryIO, at: int) -> Iterator[bytes]:
    """Yield whole lines from the end to the beginning, block by block."""
    rest = b""
    while at > 0:
        start = max(0, at - _BLOCK)
        file.seek(start)
        data, at = file.read(at - start) + rest, start
        cut = data.find(b"\n") + 1 if start else 0  # its first line may begin in the block before
        rest = data[:cut] if cut else data
        if cut or not start:
            yield data[cut:]


def _newest(data: bytes) -> Iterator[Operation]:
    for line in reversed(list(lines.scan(data))):
        found = operation.read(line.value) if line.value else None
        if found:
            yield found
