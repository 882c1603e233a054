"""Which originals leave a full archive, and what stays in their place."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agentctx import blob
from agentctx.blob import Header
from agentctx.errors import Corrupt, Evicted
from agentctx.files import publish, scratch

_SHARD = re.compile(r"[0-9a-f]{2}")
_REST = re.compile(r"[0-9a-f]{62}")
_GONE = ".gone"


@dataclass(frozen=True, slots=True)
class Entry:
    """An original on disk: its content id, bytes stored, and when it was last put or read."""

    id: str
    stored: int
    used_ns: int


def path(root: Path, name: str) -> Path:
    """Return where the original with that content id lies."""
    return root / name[:2] / name[2:]


def tombstone(root: Path, name: str) -> Path:
    """Return where an evicted original left its command and size."""
    return root / name[:2] / (name[2:] + _GONE)


def names(root: Path, prefix: str) -> set[str]:
    """Return the content ids, evicted ones too, that begin with `prefix` (two digits or more)."""
    with suppress(FileNotFoundError):
        found = {prefix[:2] + name.removesuffix(_GONE) for name in os.listdir(root / prefix[:2])}  # noqa: PTH208 - Path.iterdir is several times slower
        return {name for name in found if name.startswith(prefix) and _REST.fullmatch(name[2:])}
    return set()


def entries(root: Path) -> Iterator[Entry]:
    """Yield the originals that are there."""
    for shard, file in _files(root):
        if _REST.fullmatch(file.name):
            with suppress(FileNotFoundError):
                stat = file.stat()
                yield Entry(shard + file.name, stat.st_size, stat.st_mtime_ns)


def evicted(root: Path) -> int:
    """Count the tombstones."""
    return sum(file.name.endswith(_GONE) for _, file in _files(root))


def obituary(root: Path, name: str) -> Evicted | None:
    """Say what was evicted and how to get it again; None when there is no tombstone."""
    try:
        record = json.loads(tombstone(root, name).read_text("utf-8"))
        size, command = _bytes(int(record["size"])), _one_line(str(record["command"]))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError):  # a damaged tombstone still marks a grave
        size, command = "size unknown", ""
    return Evicted(
        f"{name[:6]!r} was evicted ({size}): run {f'again: {command}' if command else 'the command again'}"
    )


def make_room(root: Path, cap: int, *, keep: str, grace: float) -> None:
    """Evict the longest unused originals until all take at most `cap` bytes of disk.

    `keep` and what was used within the last `grace` seconds stay, even above the cap: a model may
    be about to read of them.
    """
    found = sorted(entries(root), key=lambda entry: entry.used_ns)
    excess = sum(entry.stored for entry in found) - cap
    now = time.time_ns()
    for entry in found:
        if excess <= 0:
            return
        recent = abs(now - entry.used_ns) < grace * 1e9
        if not recent and entry.id != keep and bury(root, entry):
            excess -= entry.stored


def bury(root: Path, entry: Entry) -> bool:
    """Put a tombstone in the place of an original, unless somebody has used it since `entry`."""
    source, stone = path(root, entry.id), tombstone(root, entry.id)
    aside = root / f"tmp-{os.getpid()}-{entry.id}"
    try:
        _carve(root, source, stone, entry.id)
        if source.stat().st_mtime_ns == entry.used_ns:  # readers miss it as long as it is aside
            source.replace(aside)
            if aside.stat().st_mtime_ns == entry.used_ns:
                aside.unlink()
                return True
            aside.replace(source)
        stone.unlink(missing_ok=True)
    except OSError:  # already gone, or open in another process on Windows: try the next one
        pass
    return False


def sweep(root: Path, older_than: float) -> None:
    """Remove the scratch files that a killed process left behind, `older_than` seconds ago."""
    limit = time.time() - older_than
    for file in root.glob("tmp*"):
        with suppress(OSError):
            if file.stat().st_mtime < limit:
                file.unlink()


def _files(root: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with suppress(FileNotFoundError), os.scandir(root) as shards:
        for shard in shards:
            if _SHARD.fullmatch(shard.name):
                with os.scandir(shard.path) as files:
                    yield from ((shard.name, file) for file in files)


def _carve(root: Path, source: Path, stone: Path, name: str) -> None:
    with source.open("rb") as file:
        try:
            head = blob.header(file, name)
        except Corrupt:
            head = Header(0, "")
    record = json.dumps({"size": head.size, "command": head.command})
    with scratch(root) as (file, temporary):
        file.write(record.encode())
        publish(file, temporary, stone)


def _bytes(count: int) -> str:
    """Return e.g. '12 MB'."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _one_line(command: str) -> str:
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in command)
    return shown if len(shown) <= 200 else shown[:199] + "…"
