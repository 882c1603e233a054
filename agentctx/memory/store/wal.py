"""The write-ahead log: an operation is acknowledged once its line here is durable."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentctx.memory.store import lines, operation
from agentctx.memory.store.boot import boot
from agentctx.memory.store.disk import Disk, read_at, whole
from agentctx.memory.store.operation import Operation

Refs = Mapping[str, str]

OPERATIONS, BYTES = 256, 1 << 20
"""From how many on a checkpoint is due."""


class Wal:
    """`wal.jsonl`: a header with the refs at its start, then the operations since.

    Only `recent` may be called without the lock.
    """

    def __init__(self, path: Path, disk: Disk) -> None:
        """Use the file at `path`."""
        self._path, self._disk = path, disk
        self._descriptor, self._seen = -1, 0
        self.count, self.last = 0, ""
        self.header: dict[str, Any] = {}

    @property
    def end(self) -> int:
        """How many bytes of it were read."""
        return self._seen

    @property
    def due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return self.count >= OPERATIONS or self._seen >= BYTES

    @property
    def same_boot(self) -> bool:
        """Whether all of it was written since the machine started."""
        return bool(boot()) and self.header.get("boot") == boot()

    @property
    def refs(self) -> Refs:
        """The refs when it began."""
        found = self.header.get("refs")
        return found if isinstance(found, dict) else {}

    def catch_up(self, refs: Callable[[], Refs]) -> list[Operation]:
        """Return the operations that were not seen yet; `refs` tells the present ones for a new log."""
        if self._replaced() and not self._open():
            self._disk.publish(_header(refs(), self.last), self._path)
            self._open()
        return list(self._unseen())

    def append(self, made: Operation) -> None:
        """Make an operation durable; when this raises, it is not in the log.

        Raises:
            OSError: the disk refused.
        """
        line = lines.encode(operation.write(made))
        try:
            whole(self._disk, self._descriptor, line)
            self._disk.sync(self._descriptor)
        except OSError:
            with suppress(OSError):  # what stays of it is cut off under the lock later
                self._disk.truncate(self._descriptor, self._seen)
            raise
        self._count(made, self._seen + len(line))

    def sync(self) -> None:
        """Make durable what another process wrote, and did not live to sync."""
        self._disk.sync(self._descriptor)

    def unsee(self, end: int) -> None:
        """Take what stands after `end` for unseen, so that who locks next looks at it again."""
        self._seen, self.count = end, self.count - 1

    def cut(self) -> None:
        """Take out what was not seen."""
        self._disk.truncate(self._descriptor, self._seen)
        self._disk.sync(self._descriptor)

    def recent(self) -> list[Operation]:
        """Return the operations in the log, oldest first."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return []
        return [found for line in lines.scan(data) if (found := _operation(line.value))]

    def restart(self, end: int, refs: Refs) -> None:
        """Leave out what stands before `end`, once it is durable elsewhere."""
        tail = read_at(self._descriptor, end, self._seen)
        if os.name == "nt":
            self.close()  # Windows renames no file over an open one
        self._disk.publish(_header(refs, self.last) + tail, self._path)
        self._open()
        list(self._unseen())

    def rest(self) -> None:
        """Do what has to be done before others get the lock."""
        if os.name == "nt":
            self.close()

    def close(self) -> None:
        """Let the file go."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def __del__(self) -> None:
        """Close what nobody uses any more."""
        self.close()

    def _replaced(self) -> bool:
        try:
            return self._descriptor < 0 or not os.path.samestat(
                os.fstat(self._descriptor), self._path.stat()
            )
        except FileNotFoundError:
            return True

    def _open(self) -> bool:
        self.close()
        with suppress(FileNotFoundError):
            self._descriptor = self._disk.open(self._path, os.O_RDWR | os.O_APPEND)
        self._seen, self.count, self.header = 0, 0, {}
        return self._descriptor >= 0 and os.fstat(self._descriptor).st_size > 0

    def _unseen(self) -> Iterator[Operation]:
        size = os.fstat(self._descriptor).st_size
        if size <= self._seen:
            return
        data, start = read_at(self._descriptor, self._seen, size), self._seen
        for line in lines.scan(data):
            if line.value is None:
                continue
            if "refs" in line.value:
                self.header, self._seen = self.header or line.value, start + line.end
                self.last = max(self.last, str(line.value.get("last", "")))
            elif found := operation.read(line.value):
                self._count(found, start + line.end)
                yield found
        if self._seen < size:  # a writer died within its line
            self._disk.truncate(self._descriptor, self._seen)

    def _count(self, made: Operation, end: int) -> None:
        self._seen, self.count, self.last = end, self.count + 1, made.id


def _operation(value: Mapping[str, Any] | None) -> Operation | None:
    return operation.read(value) if value and "refs" not in value else None


def _header(refs: Refs, last: str) -> bytes:
    return lines.encode({"version": 1, "boot": boot(), "refs": dict(refs), "last": last})
