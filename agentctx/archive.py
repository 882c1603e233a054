"""The originals of everything that was reduced, named by their content."""

from __future__ import annotations

import io
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from agentctx import blob, eviction
from agentctx.errors import AmbiguousHandle, ArchiveError, Evicted, UnknownHandle
from agentctx.files import private_folder, publish, remedy, scratch
from agentctx.values import content_id

GRACE_S = 300.0
_STALE_S = 3600.0
_BETWEEN_SWEEPS_S = 60.0
_HANDLE = re.compile(r"[0-9a-f]{6,64}")
_ID = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Problem:
    """An original that is not what its name says."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How many originals there are, their bytes, the bytes they take on disk, and how many left."""

    originals: int
    size: int
    stored: int
    evicted: int


class Archive:
    """Bytes by content id: put once, read whole, by line or as a stream, checked on the way out."""

    def __init__(self, root: Path, *, cap: int | None = None, grace: float = GRACE_S) -> None:
        """Open the archive in `root`; the folder is made by the first `put`.

        Args:
            root: the folder; it and all in it are private to this user.
            cap: bytes of disk above which the longest unused originals are evicted, leaving their
                command and size behind; None keeps everything.
            grace: seconds for which what was just put or read stays, even above the cap.
        """
        self.root, self._cap, self._grace = Path(root), cap, grace
        self._unswept = 0
        with suppress(OSError):
            eviction.sweep(self.root, _STALE_S)

    def put(self, data: bytes | BinaryIO, *, command: str = "") -> str:
        """Store bytes, or all of a binary stream in bounded memory; return their content id.

        When this returns, the bytes are on disk and readable. `command` is what to run to get them
        again, without secrets; it outlives an eviction.

        Raises:
            ArchiveError: the disk is full or refuses.
        """
        with self._disk("store an original"):
            if isinstance(data, bytes):
                name = content_id(data)
                return name if self._has_sound(name) else self._store(io.BytesIO(data), command)
            return self._store(data, command)

    def contains(self, name: str) -> bool:
        """Say whether the original with this content id is there."""
        return _ID.fullmatch(name) is not None and eviction.path(self.root, name).is_file()

    def size(self, name: str) -> int:
        """Return the bytes of an original, without reading it."""
        with self._open(name) as file:
            return blob.header(file, name).size

    def command(self, name: str) -> str:
        """Return the command that printed an original ("" when it was not told)."""
        with self._open(name) as file:
            return blob.header(file, name).command

    def read(self, name: str) -> bytes:
        """Return an original.

        Raises:
            UnknownHandle: it was never here.
            Evicted: it was, and the size cap removed it.
            Corrupt: what is stored is not what was put.
        """
        with self.stream(name) as source:
            return source.read()

    @contextmanager
    def stream(self, name: str) -> Iterator[BinaryIO]:
        """Open an original for reading, in bounded memory; reaching its end raises what `read` does."""
        with self._open(name) as file, blob.reader(file, name) as source:
            self._touch(name)
            yield source

    def lines(self, name: str, first: int, last: int) -> Iterator[bytes]:
        r"""Return the lines `first` to `last` (1-based, inclusive) with their b"\n", byte for byte.

        The whole original is checked before the first line comes, so none of them is wrong. Memory
        is bounded by the longest line that is returned.
        """
        if not 1 <= first <= last:
            raise ArchiveError(f"no lines {first}-{last}: ask for FIRST-LAST, counted from 1")
        self._check(name)
        self._touch(name)
        return self._lines(name, first, last)

    def resolve(self, handle: str) -> str:
        """Return the content id that a handle (6 to 64 of its first hex digits) stands for.

        Evicted originals count, so that reading them says what to run again.
        """
        with self._disk("look for originals"):
            found = eviction.names(self.root, handle) if _HANDLE.fullmatch(handle) else set()
        if len(found) > 1:
            some = ", ".join(name[:16] for name in sorted(found)[:5])
            raise AmbiguousHandle(
                f"handle {handle!r} fits {len(found)} originals: say which: {some}"
            )
        if not found:
            raise _unknown(handle)
        return found.pop()

    def near(self, name: str, digits: int = 6) -> set[str]:
        """Return the other originals, evicted ones too, whose ids begin as this one does."""
        with self._disk("look for originals"):
            return eviction.names(self.root, name[:digits]) - {name}

    def verify(self) -> Iterator[Problem]:
        """Re-hash everything and yield what is damaged."""
        with self._disk("list the originals"):
            found = list(eviction.entries(self.root))
        for entry in found:
            try:
                self._check(entry.id)
            except (Evicted, UnknownHandle):  # it left while we were looking
                continue
            except ArchiveError as error:
                yield Problem(entry.id, str(error))

    def stats(self) -> Stats:
        """Count what is here."""
        with self._disk("count the originals"):
            found, evicted = list(eviction.entries(self.root)), eviction.evicted(self.root)
        size = 0
        for entry in found:
            with suppress(ArchiveError):  # `verify` is who reports the damaged
                size += self.size(entry.id)
        stored = sum(entry.stored for entry in found)
        return Stats(originals=len(found), size=size, stored=stored, evicted=evicted)

    def _store(self, source: BinaryIO, command: str) -> str:
        private_folder(self.root)
        with scratch(self.root) as (file, temporary):
            name = blob.write(source, file, command)
            publish(file, temporary, eviction.path(self.root, name))
        eviction.tombstone(self.root, name).unlink(missing_ok=True)
        self._make_room(name)
        return name

    def _has_sound(self, name: str) -> bool:
        try:
            self._check(name)
        except ArchiveError:
            return False
        return self._touch(name)  # False: it was evicted in this very moment

    def _check(self, name: str) -> None:
        with self._open(name) as file, blob.reader(file, name) as source:
            blob.drain(source)

    def _touch(self, name: str) -> bool:
        """Note the use of an original: its modification time orders eviction."""
        try:
            os.utime(eviction.path(self.root, name))
        except FileNotFoundError:
            return False
        except OSError:  # a read-only archive evicts nothing, so needs no order
            return True
        return True

    def _make_room(self, kept: str) -> None:
        """Enforce the cap; at most once a minute for puts that together are under 1 % of it."""
        if self._cap is None:
            return
        mark = self.root / "swept"
        with suppress(
            OSError
        ):  # the original is safe; the cap gets its next chance at the next put
            self._unswept += eviction.path(self.root, kept).stat().st_size
            rested = mark.exists() and time.time() - mark.stat().st_mtime < _BETWEEN_SWEEPS_S
            if rested and self._unswept * 100 < self._cap:
                return
            eviction.make_room(self.root, self._cap, keep=kept, grace=self._grace)
            mark.touch(mode=0o600)
            self._unswept = 0

    @contextmanager
    def _disk(self, wish: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ArchiveError(f"cannot {wish} in {str(self.root)!r}: {remedy(error)}") from error

    def _open(self, name: str, *, patient: bool = True) -> BinaryIO:
        if not _ID.fullmatch(name):
            raise _unknown(name)
        try:
            return eviction.path(self.root, name).open("rb")
        except FileNotFoundError:
            gone = eviction.obituary(self.root, name)
            if gone is not None and patient:  # an eviction puts back what it finds in use
                time.sleep(0.01)
                return self._open(name, patient=False)
            raise gone or _unknown(name) from None
        except OSError as error:
            raise ArchiveError(f"cannot read original {name[:12]!r}: {remedy(error)}") from error

    def _lines(self, name: str, first: int, last: int) -> Iterator[bytes]:
        with self._open(name) as file, blob.reader(file, name) as source:
            number, pieces = 1, list[bytes]()
            while number <= last and (piece := source.readline(blob.CHUNK)):
                if number >= first:
                    pieces.append(piece)
                if piece.endswith(b"\n"):
                    if pieces:
                        yield b"".join(pieces)
                    number, pieces = number + 1, []
            if pieces:
                yield b"".join(pieces)


def _unknown(handle: str) -> UnknownHandle:
    return UnknownHandle(
        f"no original has the handle {handle[:64]!r}: "
        "a handle is the 6 to 64 digits and letters a-f after 'expand' in a marker"
    )
