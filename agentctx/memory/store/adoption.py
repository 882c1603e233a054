"""Commits that came from elsewhere: nothing of ours names them until all of them has been checked."""

from __future__ import annotations

from collections.abc import Iterator

import pygit2

from agentctx.errors import MemoryCorrupt
from agentctx.memory.store.parts import Parts
from agentctx.memory.store.trees import Entry


def check(parts: Parts, hash: str) -> None:
    """See that a commit, and all before it that no ref of ours has yet, is a memory of ours.

    Raises:
        UnknownMemory: there is no such commit.
        MemoryCorrupt: a tree with a symbolic link, a name such as `.git`, and whatever else.
    """
    parts.objects.node(hash)
    if hash in parts.refs.all().values():
        return
    seen: set[str] = set()
    for commit in fresh(parts, hash):
        below(parts, parts.objects.node(commit).tree, seen)


def fresh(parts: Parts, hash: str) -> Iterator[str]:
    """Yield the commits up to `hash` that no ref of ours contains.

    Raises:
        MemoryCorrupt: one of them is missing.
    """
    parts.objects.intact()
    walker = parts.repository.git.walk(hash)
    try:
        for known in filter(parts.objects.has, parts.refs.all().values()):
            walker.hide(known)
        for commit in walker:
            yield str(commit.id)
    except (KeyError, pygit2.GitError) as error:
        raise MemoryCorrupt(f"the history of {hash} has a gap ({error}): fetch it again") from None


def below(parts: Parts, hash: str, seen: set[str]) -> None:
    """Read a tree and everything in it that was not seen.

    Raises:
        MemoryCorrupt: something cannot be read.
    """
    waiting = [("", Entry(hash, True))]
    while waiting:
        path, entry = waiting.pop()
        if entry.hash in seen:
            continue
        seen.add(entry.hash)
        if entry.folder:
            found = parts.objects.tree(entry.hash)
            waiting += [(f"{path}/{name}" if path else name, one) for name, one in found.items()]
        else:
            parts.objects.text(entry.hash, path)
