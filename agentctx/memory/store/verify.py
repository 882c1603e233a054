"""What is wrong with a memory, object by object."""

from __future__ import annotations

from collections.abc import Iterator

from agentctx.errors import MemoryStoreError
from agentctx.memory.store import lines, loose, recovery
from agentctx.memory.store.adoption import below
from agentctx.memory.store.parts import Parts


def verify(parts: Parts) -> Iterator[str]:
    """Yield one line for each ref, commit, tree, blob or log line that is not as it should be."""
    for path in parts.refs.broken():
        yield f"{path.relative_to(parts.repository.path).as_posix()} is no ref that can be read"
    for path in recovery.damaged(parts):
        yield f"object {loose.name(path)} is damaged"
    yield from _history(parts)
    yield from _log(parts)


def _history(parts: Parts) -> Iterator[str]:
    seen: set[str] = set()
    waiting = list(parts.refs.all().values())
    while waiting:
        hash = waiting.pop()
        if hash in seen:
            continue
        seen.add(hash)
        try:
            node = parts.objects.node(hash)
            waiting += node.parents
            below(parts, node.tree, seen)
        except MemoryStoreError as error:
            yield str(error)


def _log(parts: Parts) -> Iterator[str]:
    for path in (parts.folder / "wal.jsonl", parts.folder / "operations.jsonl"):
        data = path.read_bytes() if path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]  # the next writer cuts off what stands behind it
        bad = sum(line.value is None for line in lines.scan(whole))
        if bad:
            yield f"{path.name} has {bad} line(s) that cannot be read"
