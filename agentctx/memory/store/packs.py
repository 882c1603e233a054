"""Packs: loose objects put together, off the commit path, and durable before anything else goes."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import pygit2
from pygit2.enums import ObjectType
from pygit2.errors import check_error
from pygit2.ffi import C, ffi

from agentctx.memory.store import trees
from agentctx.memory.store.parts import Parts

_FEW = 4
_NAMES = 8 + 4 * 256


def pack(parts: Parts, hashes: Iterable[str]) -> str:
    """Write objects into one durable pack and return its name, "" for no object."""
    disk, folder = parts.disk, parts.repository.objects / "pack"
    builder = pygit2.PackBuilder(parts.repository.git)
    builder.set_threads(1)
    for hash, path in _placed(parts, hashes):
        _add(builder, hash, path)
    if not len(builder):
        return ""
    scratch = parts.repository.path / "tmp_pack"  # libgit2 gives the final name before it syncs
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(mode=0o700)
    disk.through(builder.write, scratch)
    found = sorted(
        scratch.iterdir(), key=lambda path: path.suffix == ".idx"
    )  # the index comes last
    for file in found:
        _sync(parts, file)
    for file in found:
        disk.replace(file, folder / file.name)
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


def _placed(parts: Parts, hashes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each of the objects with the path at which a commit among them holds it, or ""."""
    kinds, waiting = dict[str, list[tuple[str, str]]](), list[tuple[str, str]]()
    for hash in sorted(set(hashes)):
        kind, data = parts.objects.raw(hash)
        kinds[hash] = trees.links(data) if kind == ObjectType.TREE else []
        if kind == ObjectType.COMMIT:
            kinds[hash] = [(data[5:45].decode(), "")]
            waiting.append((hash, ""))
    while waiting:
        hash, path = waiting.pop()
        if hash in kinds:
            yield hash, path
            waiting += [(inner, f"{path}/{name}") for inner, name in kinds.pop(hash)]
    yield from ((hash, "") for hash in kinds)


def _add(builder: pygit2.PackBuilder, hash: str, path: str) -> None:
    """Add an object with where it lies: libgit2 tries like paths for deltas, which halves a pack.

    `PackBuilder.add` has no argument for it.
    """
    inner = getattr(builder, "_packbuilder", None)
    if inner is None:
        builder.add(pygit2.Oid(hex=hash))
        return
    id = ffi.new("git_oid *")
    ffi.buffer(id)[:] = bytes.fromhex(hash)
    folder, _, name = path.rpartition("/")
    hint = (
        f"{folder}{PurePosixPath(name).suffix}" if "." in name else path
    )  # ids tell files nothing
    check_error(C.git_packbuilder_insert(inner, id, ffi.new("char[]", hint.encode())))


def _sync(parts: Parts, path: Path) -> None:
    path.chmod(0o600)  # libgit2 takes even our right to write, without which there is no syncing
    descriptor = parts.disk.open(path, os.O_RDWR)
    try:
        parts.disk.sync(descriptor)
    finally:
        os.close(descriptor)
