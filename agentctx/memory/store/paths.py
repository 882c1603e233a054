"""Where things lie: files in the tree of a memory commit, refs in its repository, journals beside it."""

from __future__ import annotations

from pathlib import Path

from agentctx.memory import names
from agentctx.memory.records import Commit

ROADMAP, BRANCH, WORDS, TRUSTED = "main.md", "branch.yaml", "words.jsonl", "trusted.txt"
COMMITS, LOGS, METADATA = "commits", "logs", "metadata"
HEADS, ARCHIVE = "refs/heads/", "refs/archive/"
_A_FOLDER = 100


def commit_path(commit: Commit) -> str:
    """Return where a record stands: a hundred to a folder, so that trees stay small."""
    return f"{COMMITS}/{_shard(commit)}/{commit.id}.md"


def log_path(commit: Commit) -> str:
    """Return where the steps of a record stand."""
    return f"{LOGS}/{_shard(commit)}/{commit.id}.jsonl"


def metadata_path(segment: str) -> str:
    """Return where a metadata segment stands.

    Raises:
        MemoryNameError: no segment may have that name.
    """
    return f"{METADATA}/{names.segment(segment)}.yaml"


def head(branch: str) -> str:
    """Return the ref of a live branch.

    Raises:
        MemoryNameError: no branch may have that name.
    """
    return HEADS + names.branch(branch)


def archive(branch: str) -> str:
    """Return the ref of a branch that was merged or abandoned.

    Raises:
        MemoryNameError: no branch may have that name.
    """
    return ARCHIVE + names.branch(branch)


def journal_path(folder: Path, branch: str) -> Path:
    """Return the journal of a branch in a data folder.

    Raises:
        MemoryNameError: no branch may have that name.
    """
    return folder / "journal" / f"{names.branch(branch).replace('/', '+')}.jsonl"


def _shard(commit: Commit) -> str:
    return f"{commit.number // _A_FOLDER:04}"
