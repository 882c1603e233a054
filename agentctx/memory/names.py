"""What a branch, a metadata segment and a file in a memory tree may be called."""

from __future__ import annotations

import re
from functools import lru_cache

from agentctx.errors import MemoryNameError

MAIN = "main"
"""The first branch."""

BRANCH_RULE = (
    "use 1-4 parts of a-z, 0-9, '.', '_', '-' between slashes, each 1-64 long and beginning with a "
    "letter or digit, without '..' and '.lock'"
)
SEGMENT_RULE = "use a-z, 0-9, '_' and '-', 1-64 long, beginning with a letter or digit"

_PART = r"[a-z0-9][a-z0-9._-]{0,63}"
_BRANCH = re.compile(rf"{_PART}(/{_PART}){{0,3}}")
_SEGMENT = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_RESERVED = {"head", "fetch_head", "orig_head", "merge_head"}
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # no file on Windows may have these
_HASH = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64})")
_FILE = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")


def branch(name: str) -> str:
    """Return a branch's name if it may be one.

    Raises:
        MemoryNameError: it may not; the message says the rule.
    """
    if not isinstance(name, str) or not _BRANCH.fullmatch(name) or not _plain(name):
        raise MemoryNameError(f"{_short(name)} is no name for a branch: {BRANCH_RULE}")
    return name


def segment(name: str) -> str:
    """Return a metadata segment's name if it may be one.

    Raises:
        MemoryNameError: it may not; the message says the rule.
    """
    if not isinstance(name, str) or not _SEGMENT.fullmatch(name) or _DEVICES.fullmatch(name):
        raise MemoryNameError(f"{_short(name)} is no name for a segment: {SEGMENT_RULE}")
    return name


@lru_cache(maxsize=4_096)
def file(name: str) -> str:
    """Return the name of one entry of a memory tree if it may be one.

    Raises:
        MemoryNameError: it may not, such as "..", ".git" and whatever a disk takes for it.
    """
    if not _FILE.fullmatch(name) or not _plain(name) or name.startswith("git~"):
        raise MemoryNameError(f"{_short(name)} may not stand in a memory: no tree of ours has it")
    return name


def _plain(name: str) -> bool:
    parts = name.split("/")
    return (
        ".." not in name
        and name not in _RESERVED
        and not _HASH.fullmatch(name)
        and not any(part.endswith((".lock", ".")) or _DEVICES.fullmatch(part) for part in parts)
    )


def _short(name: object) -> str:
    text = repr(name)
    return text if len(text) <= 80 else f"{text[:77]}..."
