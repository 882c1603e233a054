"""What a disk may hold after the power went: what was synced, and any part of what was not."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import Any

from agentctx.memory.store import lines
from tests.memory.storage import Counting, Died

APPENDED = ("wal.jsonl", "operations.jsonl", "journal/main.jsonl")


class Power(Counting):
    """Remembers how much of every file is durable; from the `at`-th call on there is no disk."""

    def __init__(self, at: int = 0) -> None:
        super().__init__()
        self.at, self.durable = at, dict[int, int]()

    def _tick(self, name: str, *given: Any) -> None:
        super()._tick(name, *given)
        if self.at and self.count >= self.at:
            raise Died

    def sync(self, descriptor: int) -> None:
        super().sync(descriptor)
        found = os.fstat(descriptor)
        self.durable[found.st_ino] = found.st_size


def cut(folder: Path, image: Path, power: Power, seed: int) -> None:
    """Copy a memory as it may look after the power went."""
    chance = random.Random(seed)
    shutil.copytree(folder, image)
    for name in APPENDED:
        if (folder / name).exists():
            _lose_end(folder / name, image / name, power, chance)
    for path in sorted((image / "memory.git/objects").glob("[0-9a-f][0-9a-f]/*")):
        _harm(path, chance)
    for path in sorted((image / "memory.git/objects").glob("pack/*")):
        if (folder / path.relative_to(image)).stat().st_ino not in power.durable:
            _harm(path, chance)
    for ref, values in sorted(_values(image / "wal.jsonl").items()):
        _change(image / "memory.git" / ref, sorted(values), chance)
    start_again(image / "wal.jsonl")


def start_again(path: Path) -> None:
    """Let a log look as if it was begun before the machine was started."""
    if not path.exists():
        return
    first, *rest = path.read_bytes().splitlines(keepends=True)
    header = lines.decode(first)
    assert header
    path.write_bytes(lines.encode({**header, "boot": "another"}) + b"".join(rest))


def _values(path: Path) -> dict[str, set[str]]:
    """Return what the refs that moved since the last checkpoint have been: none was synced since."""
    found: dict[str, set[str]] = {}
    data = path.read_bytes() if path.exists() else b""
    for value in (line.value or {} for line in lines.scan(data)):
        for ref, *hashes in value.get("moves", ()):
            found.setdefault(ref, set()).update(hash or "" for hash in hashes)
    return found


def _change(path: Path, values: list[str], chance: random.Random) -> None:
    now = path.read_text().strip() if path.exists() else ""
    value = chance.choice([now, *values])
    path.unlink(missing_ok=True)
    if value:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n")
        _harm(path, chance)


def _lose_end(real: Path, copy: Path, power: Power, chance: random.Random) -> None:
    """Leave what was synced, then some of what was not, then zeros or nothing."""
    whole = real.read_bytes()
    sure = power.durable.get(real.stat().st_ino, 0)
    some = chance.randint(sure, len(whole))
    zeros = chance.choice([0, 0, len(whole) - some])
    copy.write_bytes(whole[:some] + bytes(zeros))


def _harm(path: Path, chance: random.Random) -> None:
    what = chance.choice(["", "", "gone", "empty", "half"])
    path.chmod(0o600)
    if what == "gone":
        path.unlink()
    elif what:
        path.write_bytes(path.read_bytes()[: 0 if what == "empty" else path.stat().st_size // 2])
