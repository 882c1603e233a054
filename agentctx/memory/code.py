"""The code commit that belongs to a record: found in the user's repository, or made beside it.

Nothing of the user's is touched: no index, worktree, hook, branch or HEAD. A commit that is made on
request holds the worktree as it is and stands under `refs/agentctx/code/`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pygit2
from pygit2.enums import FileMode, FileStatus

from agentctx.errors import MemoryStoreError
from agentctx.memory import ids

REFS = "refs/agentctx/code/"
HEAD, WORKTREE = "HEAD", "WORKTREE"
"""What a caller may say instead of a hash: the commit that is checked out, the files as they are."""

_CHANGED = FileStatus.WT_NEW | FileStatus.WT_MODIFIED | FileStatus.WT_TYPECHANGE
_LARGEST = 5 << 20
"""Bytes of an untracked file that is still recorded; what is larger was hardly written by hand."""


def chosen(wanted: str, otherwise: str, said: str) -> str:
    """Return the hash of the code commit of a record, "" for none, around the working folder.

    Args:
        wanted: what the record asks for: "HEAD", "WORKTREE", or a hash, which comes back as it is.
        otherwise: what holds when it asks for nothing; that it cannot be had stops no record.
        said: what the record says; its first line is the title of a commit that is made.

    Raises:
        MemoryStoreError: what it asks for cannot be read or written.
    """
    title = said.strip().partition("\n")[0][:72]
    if wanted:
        return _named(wanted, title)
    with suppress(MemoryStoreError):
        return _named(otherwise, title)
    return ""


def head(folder: Path) -> str:
    """Return the hash of the commit that is checked out around a folder; "" where there is none.

    Raises:
        MemoryStoreError: the repository cannot be read.
    """
    repository = _repository(folder)
    try:
        if repository is None or repository.head_is_unborn:
            return ""
        return str(repository.head.target)
    except (pygit2.GitError, KeyError, ValueError) as error:
        raise MemoryStoreError(f"the code's HEAD cannot be read: {error}: mend it") from None


def snapshot(folder: Path, id: str, title: str) -> str:
    """Record the worktree around a folder as a commit of its own, and return its hash.

    Args:
        folder: any folder of the worktree.
        id: names the ref, such as the id of a record.
        title: the message of the commit.

    Raises:
        MemoryStoreError: there is no repository, or it cannot be read or written.
    """
    repository = _repository(folder)
    if repository is None or repository.is_bare:
        raise MemoryStoreError(
            f"{str(folder)!r} is in no git worktree: run git init, or leave it out"
        )
    try:
        made = _commit(repository, title)
        repository.references.create(f"{REFS}{id}", made, force=True)
    except (pygit2.GitError, OSError, ValueError, KeyError) as error:
        raise MemoryStoreError(
            f"the code cannot be recorded: {error}: check that repository"
        ) from None
    return str(made)


def _named(name: str, title: str) -> str:
    if name == HEAD:
        return head(Path.cwd())
    return snapshot(Path.cwd(), ids.new(), title) if name == WORKTREE else name


def _repository(folder: Path) -> pygit2.Repository | None:
    try:
        found = pygit2.discover_repository(str(folder))
        return pygit2.Repository(found) if found else None
    except pygit2.GitError as error:
        raise MemoryStoreError(f"the repository at {str(folder)!r}: {error}: mend it") from None


def _commit(repository: pygit2.Repository, title: str) -> pygit2.Oid:
    me = pygit2.Signature("agentctx", "agentctx@localhost", int(time.time()), 0)
    parents = [] if repository.head_is_unborn else [repository.head.target]
    return repository.create_commit(None, me, me, f"{title}\n", _tree(repository), parents)


def _tree(repository: pygit2.Repository) -> pygit2.Oid:
    """Return the tree of the worktree: what is tracked, and what is new and not ignored."""
    index = pygit2.Index()
    status = repository.status(untracked_files="all")
    gone = {path for path, flags in status.items() if flags & FileStatus.WT_DELETED}
    for entry in repository.index:
        if entry.path not in gone:
            index.add(entry)
    for path, flags in status.items():
        if flags & _CHANGED:
            for entry in _entries(repository, path, new=bool(flags & FileStatus.WT_NEW)):
                index.add(entry)
    return index.write_tree(repository)


def _entries(repository: pygit2.Repository, path: str, *, new: bool) -> Iterator[pygit2.IndexEntry]:
    file = Path(repository.workdir, path)
    if file.is_symlink():
        yield pygit2.IndexEntry(path, repository.create_blob_fromworkdir(path), FileMode.LINK)
    elif file.is_file() and not (new and file.stat().st_size > _LARGEST):
        runs = file.stat().st_mode & 0o111
        mode = FileMode.BLOB_EXECUTABLE if runs else FileMode.BLOB
        yield pygit2.IndexEntry(path, repository.create_blob_fromworkdir(path), mode)
