"""What git has fetched into a memory and nothing of ours names yet."""

from __future__ import annotations

import shutil
from pathlib import Path

import pygit2
from pygit2.enums import RepositoryOpenFlag

INCOMING = "refs/incoming/"


def incoming(path: Path) -> dict[str, str]:
    """Return what was fetched into a repository: full ref names as the other side has them."""
    refs = opened(path).references
    found = [name for name in refs if name.startswith(INCOMING)]
    return {f"refs/{name.removeprefix(INCOMING)}": str(refs[name].target) for name in found}


def forget_incoming(path: Path) -> None:
    """Remove the refs of what was fetched; what was taken has refs of its own by then."""
    refs = opened(path).references
    for name in [name for name in refs if name.startswith(INCOMING)]:
        refs.delete(name)
    shutil.rmtree(path / INCOMING, ignore_errors=True)


def opened(path: Path) -> pygit2.Repository:
    """Return the bare repository at `path`."""
    return pygit2.Repository(str(path), RepositoryOpenFlag.BARE | RepositoryOpenFlag.NO_SEARCH)
