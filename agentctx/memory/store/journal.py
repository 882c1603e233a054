"""The live steps of one branch: one checksummed line each, appended in one write."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from agentctx.errors import MemoryCorrupt
from agentctx.files import private_folder
from agentctx.memory import texts
from agentctx.memory.records import Step
from agentctx.memory.store import lines
from agentctx.memory.store.disk import Disk, line_end, read_at, refused, whole
from agentctx.memory.store.lock import same, shut

Mark: TypeAlias = tuple[str, int]
"""A place in a journal: the generation of the file, and how many bytes stand before the place."""

_BLOCK = 1 << 16
_GENERATION = "generation"


class Journal:
    """A file of steps that any number of processes append to.

    Whoever has it open shares a lock on it; only one who is alone takes anything out. Steps survive
    the end of the process at once, and a power cut from the next `seal` or `sync` on.
    """

    def __init__(self, path: Path, *, disk: Disk | None = None) -> None:
        """Use the file at `path`, made when it is first needed; `disk` is what it is written by."""
        self.path = path
        self._disk = disk or Disk()
        self._turn = threading.RLock()
        self._descriptor, self._generation = -1, ""
        self._synced: Mark = "", 0

    def append(self, step: Step) -> None:
        """Add a step.

        Raises:
            MemoryFull: the disk refused; the step is not there.
        """
        line = lines.encode(texts.step_fields(step))
        with self._turn:
            descriptor = self._open()
            try:
                whole(self._disk, descriptor, line)
            except OSError as error:
                with suppress(OSError):  # readers find their way behind half a line
                    self._drop_torn()
                raise refused(f"a step in {str(self.path)!r}", error) from None

    def read(self, start: Mark | None = None, end: Mark | None = None) -> list[Step]:
        """Return the steps from `start` to `end`, oldest first.

        A mark of another generation is none: what is still there was not sealed then.
        """
        with self._turn:
            descriptor = self._open()
            places = [mark[1] for mark in (start, end) if mark and mark[0] == self._generation]
            first = places[0] if start and start[0] == self._generation else 0
            last = places[-1] if end and end[0] == self._generation else line_end(descriptor)
            found = map(_step, lines.scan(read_at(descriptor, first, last)))
            return [step for step in found if step]

    def end(self) -> Mark:
        """Return the mark behind the last whole line."""
        with self._turn:
            end = line_end(self._open())
            return self._generation, end

    def seal(self) -> Mark:
        """Return the same for a mark that is to be stored: what stands before it is durable.

        Otherwise steps that come after a power cut could stand before a mark that was stored.

        Raises:
            MemoryFull: the disk refused.
        """
        with self._turn:
            if self._synced != (end := self.end()):
                self.sync()
                self._synced = end
            return end

    def sync(self) -> None:
        """Make all steps survive a power cut.

        Raises:
            MemoryFull: the disk refused.
        """
        with self._turn:
            descriptor = self._open()
            try:
                self._disk.sync(descriptor)
            except OSError as error:
                raise refused(f"the steps in {str(self.path)!r}", error) from None

    def trim(self, end: Mark) -> bool:
        """Take out what stands before a mark, if nobody else has the journal open; tell whether.

        Raises:
            MemoryFull: the disk refused; all is as it was.
        """
        with self._turn:
            self._open()
            if end[0] != self._generation:
                return False
            try:
                return self._alone(lambda descriptor: self._rewrite(descriptor, end[1]))
            except OSError as error:
                raise refused(f"the rest of {str(self.path)!r}", error) from None

    def replace(self, steps: Iterable[Step]) -> bool:
        """Hold these steps and nothing else, if nobody else has the journal open; tell whether.

        Raises:
            MemoryFull: the disk refused; all is as it was.
        """
        data = _header() + b"".join(lines.encode(texts.step_fields(step)) for step in steps)
        with self._turn:
            self._open()
            try:
                return self._alone(lambda descriptor: self._disk.publish(data, self.path))
            except OSError as error:
                raise refused(f"the steps in {str(self.path)!r}", error) from None

    def close(self) -> None:
        """Let the file go."""
        with self._turn:
            if self._descriptor >= 0:
                os.close(self._descriptor)
            self._descriptor, self._generation = -1, ""

    def __del__(self) -> None:
        """Close what nobody uses any more."""
        self.close()

    def _open(self) -> int:
        if self._descriptor < 0:
            try:
                self._begin()
            except OSError as error:
                self.close()
                raise refused(f"the journal {str(self.path)!r}", error) from None
        return self._descriptor

    def _begin(self) -> None:
        private_folder(self.path.parent)
        self._enter()
        self._drop_torn()
        self._generation = self._named() or self._begun()

    def _enter(self) -> None:
        """Open the file that bears the name now, with a share of its lock."""
        while True:
            self.close()
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
            self._descriptor = self._disk.open(self.path, flags)
            if os.name == "nt" or (
                shut(self._descriptor, shared=True, wait=True) and same(self._descriptor, self.path)
            ):
                return

    def _begun(self) -> str:
        """Write a header. Of several that began at once, the one that came first counts for all."""
        whole(self._disk, self._descriptor, _header())
        return self._named()

    def _named(self) -> str:
        size = os.fstat(self._descriptor).st_size
        for end in (min(size, _BLOCK), size):
            for line in lines.scan(read_at(self._descriptor, 0, end)):
                if line.value and _GENERATION in line.value:
                    return str(line.value[_GENERATION])
        return ""

    def _drop_torn(self) -> None:
        """Cut off a line without its end, unless somebody may be writing it."""
        descriptor = self._descriptor
        if line_end(descriptor) < os.fstat(descriptor).st_size:
            self._alone(self._cut)

    def _cut(self, descriptor: int) -> None:
        end = line_end(descriptor)
        if end < os.fstat(descriptor).st_size:
            self._disk.truncate(descriptor, end)

    def _rewrite(self, descriptor: int, end: int) -> None:
        rest = read_at(descriptor, end, os.fstat(descriptor).st_size)
        self._disk.publish(_header() + rest, self.path)

    def _alone(self, work: Callable[[int], None]) -> bool:
        """Do something while nobody else has the file open; afterwards it may be another file."""
        if os.name == "nt" or not shut(self._descriptor):
            self._share()
            return False
        try:
            work(self._descriptor)
        finally:
            self._share()
        return True

    def _share(self) -> None:
        if os.name == "nt":
            return
        shut(self._descriptor, shared=True, wait=True)  # a refused lock costs the share that we had
        if not same(self._descriptor, self.path):
            self._enter()
            self._generation = self._named() or self._begun()


def _header() -> bytes:
    return lines.encode({_GENERATION: secrets.token_hex(8)})


def _step(line: lines.Line) -> Step | None:
    try:
        return texts.step(line.value) if line.value and _GENERATION not in line.value else None
    except MemoryCorrupt:  # of a newer version
        return None
