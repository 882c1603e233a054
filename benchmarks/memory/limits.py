"""What nobody who keeps the same can be faster than."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

from benchmarks.memory import texts

_OBJECTS = 7  # two blobs, four trees, one commit


class Write:
    """One `write` of a step at the end of a file, without a sync."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def __call__(self, number: int) -> None:
        os.write(self._descriptor, "".join(texts.step(number)).encode())


class Sync:
    """A write of a record and main.md at the end of a file, and `fdatasync`: durable, no more."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._data = (texts.record(0) + texts.roadmap(0)).encode()

    def __call__(self, number: int) -> None:
        os.write(self._descriptor, self._data)
        getattr(os, "fdatasync", os.fsync)(self._descriptor)


class Objects(Sync):
    """The same, and seven files that are written and renamed, as git's objects of a commit are."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._folder, self._names = path.parent, count()

    def __call__(self, number: int) -> None:
        for _ in range(_OBJECTS):
            name = next(self._names)
            folder, scratch = self._folder / f"{name % 256:02x}", self._folder / "scratch"
            folder.mkdir(exist_ok=True)
            scratch.write_bytes(self._data[:500])
            scratch.rename(folder / f"{name}")
        super().__call__(number)
