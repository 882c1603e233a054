"""Packs: loose objects put together, off the commit path, and durable before anything else goes."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

import pygit2

from agentctx.memory.parts import Parts

_FEW = 4
_FANOUT, _NAMES = 8, 8 + 4 * 256


def pack(parts: Parts, hashes: Iterable[str]) -> str:
    """Write objects into one durable pack and return its name, "" for no object."""
    disk, folder = parts.disk, parts.repository.objects / "pack"
    builder = pygit2.PackBuilder(parts.repository.git)
    builder.set_threads(1)
    for hash in dict.fromkeys(hashes):
        builder.add(pygit2.Oid(hex=hash))
    if not len(builder):
        return ""
    scratch = parts.repository.path / "tmp_pack"  # libgit2 gives the final name before it syncs
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(mode=0o700)
    disk.through(builder.write, scratch)
    found = sorted(
        scratch.iterdir(), key=lambda path: path.suffix == ".idx"
    )  # the index comes last
    for path in found:
        _sync(parts, path)
    for path in found:
        disk.replace(path, folder / path.name)
    disk.sync_folder(folder)
    scratch.rmdir()
    return found[0].stem


def small(parts: Parts, loose: int) -> list[Path]:
    """Return the packs to put together with `loose` bytes, so that few stay and few are rewritten."""
    found = sorted(
        (parts.repository.objects / "pack").glob("pack-*.idx"), key=lambda path: path.stat().st_size
    )
    chosen: list[Path] = []
    total = loose
    for path in found if len(found) >= _FEW else ():
        size = path.stat().st_size
        if size > 2 * total:
            break
        total += size
        chosen.append(path)
    return chosen


def listed(index: Path) -> Iterator[str]:
    """Yield the hashes in a pack's index of version 2."""
    data = index.read_bytes()
    count = struct.unpack_from(">I", data, _NAMES - 4)[0]
    for number in range(count):
        yield data[_NAMES + 20 * number : _NAMES + 20 * (number + 1)].hex()


def drop(parts: Parts, indexes: Iterable[Path]) -> None:
    """Remove packs, the index first: without it the rest is nothing."""
    for index in indexes:
        parts.disk.unlink(index)
        parts.disk.unlink(index.with_suffix(".pack"))


def _sync(parts: Parts, path: Path) -> None:
    path.chmod(0o600)  # libgit2 takes even our right to write, without which there is no syncing
    descriptor = parts.disk.open(path, os.O_RDWR)
    try:
        parts.disk.sync(descriptor)
    finally:
        os.close(descriptor)
