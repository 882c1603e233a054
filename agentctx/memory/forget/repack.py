"""One pack with all that some commits lead to, and nothing else in the repository."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from agentctx.memory.forget.rewrite import in_order
from agentctx.memory.store import Store, loose, packs
from agentctx.memory.store.incoming import forget_incoming
from agentctx.memory.store.lock import Lock
from agentctx.memory.store.parts import Parts


@contextmanager
def alone(store: Store) -> Iterator[Parts]:
    """Hold a memory so that nobody commits, packs or fetches, and yield its parts.

    Raises:
        MemoryLocked: another process does so for too long.
    """
    store.branches()  # opens it, and mends what a dead process left
    with ExitStack() as stack:
        for name in ("remote.lock", "checkpoint.lock"):
            stack.enter_context(Lock(store.folder / name))
        yield stack.enter_context(store.maintenance())


def keep(parts: Parts, tips: Iterable[str]) -> frozenset[str]:
    """Write all that these commits lead to into one durable pack, and return the hashes."""
    hashes = frozenset(reachable(parts, tips))
    packs.pack(parts, sorted(hashes))
    return hashes


def drop_rest(parts: Parts, kept: Iterable[str]) -> None:
    """Remove every object that is not in a pack which holds exactly `kept`, and what git left."""
    wanted = set(kept)
    folder = parts.repository.objects / "pack"
    whole = [index for index in sorted(folder.glob("pack-*.idx")) if _holds(index, wanted)]
    if wanted and not whole:
        return
    for path in loose.files(parts.repository.objects):
        parts.disk.unlink(path)
    packs.drop(parts, [index for index in folder.glob("pack-*.idx") if index not in whole[:1]])
    forget_incoming(parts.repository.path)
    for path in _left(parts):
        parts.disk.unlink(path)
    parts.repository.again()


def reachable(parts: Parts, tips: Iterable[str]) -> Iterator[str]:
    """Yield the hashes of all commits, trees and blobs that some commits lead to."""
    seen = set[str]()
    for hash in in_order(parts, list(tips)):
        yield hash
        yield from _below(parts, parts.objects.node(hash).tree, seen)


def disk_use(folder: Path) -> int:
    """Return the bytes that the files of a memory take."""
    names = ("memory.git", "journal", "wal.jsonl", "operations.jsonl", "index.db")
    tops = [folder / name for name in names]
    files = [path for top in tops for path in ([top] if top.is_file() else top.rglob("*"))]
    return sum(path.stat().st_size for path in files if path.is_file())


def _below(parts: Parts, hash: str, seen: set[str]) -> Iterator[str]:
    if hash in seen:
        return
    seen.add(hash)
    yield hash
    for entry in parts.objects.tree(hash).values():
        if entry.folder:
            yield from _below(parts, entry.hash, seen)
        elif entry.hash not in seen:
            seen.add(entry.hash)
            yield entry.hash


def _holds(index: Path, wanted: set[str]) -> bool:
    return set(packs.listed(index)) == wanted


def _left(parts: Parts) -> Iterator[Path]:
    """Yield what git and libgit2 leave beside the objects that could hold or name old ones."""
    top, folder = parts.repository.path, parts.repository.objects / "pack"
    yield from (path for name in ("FETCH_HEAD", "ORIG_HEAD") if (path := top / name).exists())
    yield from (path for path in folder.glob("*") if path.suffix in (".rev", ".bitmap", ".mtimes"))
    yield from (path for path in folder.glob("*.pack") if not path.with_suffix(".idx").exists())
    shutil.rmtree(top / "logs", ignore_errors=True)
