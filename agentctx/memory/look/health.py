"""The health of a memory: what is wrong with it, and keeping it small."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from agentctx.errors import MemoryStoreError, RemoteError
from agentctx.memory import names, texts
from agentctx.memory.forget import repack
from agentctx.memory.forget.repack import alone, disk_use
from agentctx.memory.memory import Memory
from agentctx.memory.remote.git import Git
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store import lines, paths
from agentctx.memory.store.parts import Parts

UNDO_S = 14 * 86_400.0
"""How long what only an undone operation leads to is kept, in seconds."""

_FSCK_S = 600.0
_BAD = ("error", "fatal", "missing", "broken", "bad", "warning")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """What `gc` did: bytes on disk before and after, objects kept, archived branches dropped."""

    before: int
    after: int
    objects: int
    dropped: tuple[str, ...] = ()


def verify(memory: Memory) -> Iterator[str]:
    """Yield what is wrong, one line each: objects, records, journals, index, and what git says."""
    yield from memory.store.verify()
    yield from _records(memory)
    yield from _journals(memory)
    yield from _index(memory)
    yield from _fsck(memory)


def gc(memory: Memory, *, cap: int | None = None, keep_s: float = UNDO_S) -> Cleaned:
    """Put everything into one pack and drop what nothing leads to.

    Args:
        memory: what is cleaned; nobody writes to it meanwhile.
        cap: bytes that it may take; archived branches go until it does, the oldest first.
        keep_s: how long what can still be undone is kept, in seconds; not at all above the cap.

    Raises:
        MemoryLocked: another process holds the memory for too long.
        MemoryFull: the disk refused; all is as it was.
    """
    memory.store.branches()  # opens it
    before = disk_use(memory.folder)
    memory.store.checkpoint()
    objects, dropped = _packed(memory, keep_s), list[str]()
    for name in _oldest(memory) if cap is not None else ():
        if cap is None or disk_use(memory.folder) <= cap:
            break
        with memory.store.transaction("gc", session=memory.author.session) as change:
            change.move(f"{paths.ARCHIVE}{name}", None)
        dropped.append(name)
        objects = _packed(memory, 0.0)
    return Cleaned(
        before=before, after=disk_use(memory.folder), objects=objects, dropped=tuple(dropped)
    )


def _packed(memory: Memory, keep_s: float) -> int:
    with alone(memory.store) as parts:
        parts.refs.sync(parts.refs.all().keys())
        kept = repack.keep(parts, {*parts.refs.all().values(), *_undoable(parts, keep_s)})
        repack.drop_rest(parts, kept)
    return len(kept)


def _undoable(parts: Parts, keep_s: float) -> Iterator[str]:
    """Yield the commits that the latest operations moved from or to."""
    since = time.time() - keep_s
    logged = [*parts.history.newest(), *parts.wal.recent()]
    for made in (one for one in logged if keep_s and one.at >= since):
        for move in made.moves:
            yield from (h for h in (move.old, move.new) if h and parts.objects.has(h))


def _oldest(memory: Memory) -> list[str]:
    """Return the archived branches, those first that were closed longest ago."""
    store = memory.store
    return sorted(store.archived(), key=lambda name: store.node(store.archived()[name]).at)


def _records(memory: Memory) -> Iterator[str]:
    """Yield branches whose files cannot be read as what they are; shared history is read once."""
    tips = {**memory.store.archived(), **memory.store.branches()}
    read = set[str]()
    for name, tip in tips.items():
        view = Snapshot(memory.store, tip)
        try:
            if not _whole(view, read):
                yield f"branch {name!r} has no record"
        except MemoryStoreError as error:
            yield f"branch {name!r}: {error}"


def _whole(view: Snapshot, read: set[str]) -> bool:
    """Read all that a branch holds beyond the commits in `read`; return whether it has a record."""
    known = (view.branch, view.roadmap, view.words, *map(view.metadata, view.segments()))
    for node in view.store.walk(view.hash):
        if node.hash in read:
            break
        read.add(node.hash)
        if (record := view.record_of(node)) is not None:
            view.steps(record)
    return bool(known) and view.latest is not None


def _journals(memory: Memory) -> Iterator[str]:
    for path in sorted((memory.folder / "journal").glob("*.jsonl")):
        try:
            names.branch(path.stem.replace("+", "/"))
            found = [one.value for one in lines.scan(path.read_bytes())]
            bad = sum(not value or not _step(value) for value in found)
        except (MemoryStoreError, OSError) as error:
            yield f"journal/{path.name}: {error}"
            continue
        if bad:
            yield f"journal/{path.name} has {bad} line(s) that cannot be read; the others can"


def _step(value: dict[str, object]) -> bool:
    try:
        return "generation" in value or bool(texts.step(value))
    except MemoryStoreError:
        return False


def _index(memory: Memory) -> Iterator[str]:
    """Yield what is wrong with the index, which is only a copy: rebuilding it mends it."""
    path = memory.folder / "index.db"
    if not path.exists():
        return
    import sqlite3

    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            said = [row[0] for row in base.execute("PRAGMA quick_check(3)")]
    except sqlite3.Error as error:
        said = [str(error)]
    if said != ["ok"]:
        yield f"index.db is damaged ({said[0]}): remove it, the next search makes it again"


def _fsck(memory: Memory) -> Iterator[str]:
    if not shutil.which("git"):
        return
    git = Git(memory.folder / "memory.git", _FSCK_S)
    try:
        status, out, err = git.tried("fsck", "--strict", "--full", "--no-dangling", "--no-progress")
    except RemoteError as error:
        yield str(error)
        return
    said = [line for line in f"{out}{err}".splitlines() if line.startswith(_BAD)]
    yield from (f"git fsck: {line}" for line in said)
    if status and not said:
        yield f"git fsck failed with status {status}"
