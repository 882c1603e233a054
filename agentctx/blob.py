"""One original as a file: a header that zstd tools skip, then the zstd-compressed bytes.

The header is a skippable frame (RFC 8878, 3.1.2) that holds the size of the original and the
command that made it, so `zstd -dc` reads the file as it stands.
"""

from __future__ import annotations

import hashlib
import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast

from agentctx.errors import ArchiveError, Corrupt
from agentctx.files import remedy

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 1 << 18
_SKIPPABLE = 0x184D2A50
_HEADER = struct.Struct("<IIQ")
_LONGEST_COMMAND = 4096
_WINDOW = 1 << 23  # what reading may need in memory; level 3 writes windows of 2 MiB


@dataclass(frozen=True, slots=True)
class Header:
    """What a blob says of itself: bytes of the original, and the command that printed it."""

    size: int
    command: str

    def pack(self) -> bytes:
        """Return the skippable frame."""
        command = self.command.encode("utf-8", "replace")[:_LONGEST_COMMAND]
        return _HEADER.pack(_SKIPPABLE, 8 + len(command), self.size) + command


def write(source: BinaryIO, target: BinaryIO, command: str) -> str:
    """Compress all of `source` into `target`; return the content id of what was read."""
    import zstandard

    target.write(Header(0, command).pack())
    digest, size = hashlib.blake2b(digest_size=32), 0
    with zstandard.ZstdCompressor(level=3).stream_writer(target, closefd=False) as packer:
        while chunk := source.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
            packer.write(chunk)
    target.seek(0)
    target.write(Header(size, command).pack())
    return digest.hexdigest()


def header(file: BinaryIO, name: str) -> Header:
    """Read the header; `file` then stands at the compressed bytes."""
    start = file.read(_HEADER.size)
    if len(start) < _HEADER.size:
        raise _damaged(name, "it is cut short")
    magic, length, size = _HEADER.unpack(start)
    if magic != _SKIPPABLE or not 8 <= length <= 8 + _LONGEST_COMMAND:
        raise _damaged(name, "its header is not one of ours")
    return Header(size, file.read(length - 8).decode("utf-8", "replace"))


@contextmanager
def reader(file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Open the original in `file`; reading its end raises Corrupt if it is not what `name` says."""
    size = header(file, name).size
    with io.BufferedReader(_Checked(file, name, size), CHUNK) as buffered:
        yield cast(BinaryIO, buffered)


class _Checked(io.RawIOBase):
    """Decompressed bytes that compare themselves to their content id at the end."""

    def __init__(self, file: BinaryIO, name: str, size: int) -> None:
        import zstandard

        self._name, self._left = name, size
        self._digest = hashlib.blake2b(digest_size=32)
        self._bytes = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(
            file, closefd=False
        )
        self._broken = zstandard.ZstdError

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill `buffer`; 0 at the end, once all that was read proved right."""
        view = memoryview(buffer)
        try:
            count: int = self._bytes.readinto(view)
        except self._broken as error:
            raise _damaged(self._name, f"zstd cannot read it ({error})") from error
        except OSError as error:
            raise ArchiveError(
                f"cannot read original {self._name[:12]!r}: {remedy(error)}"
            ) from error
        self._digest.update(view[:count])
        self._left -= count
        if self._left < 0 or (count == 0 and self._left):
            raise _damaged(self._name, "its size is not that of the original")
        if count == 0 and self._digest.hexdigest() != self._name:
            raise _damaged(self._name, "its bytes do not match its name")
        return count


def drain(source: BinaryIO) -> None:
    """Read to the end and keep nothing."""
    while source.read(CHUNK):
        pass


def _damaged(name: str, why: str) -> Corrupt:
    return Corrupt(
        f"original {name[:12]!r} is damaged: {why}: run its command again, or restore a backup"
    )
