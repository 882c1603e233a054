"""Commits of a memory as git stores them: a title, trailers, one author."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from agentctx.errors import MemoryCorrupt
from agentctx.memory import ids

ID = "Agentctx-Id"

_AUTHOR = "agentctx <agentctx@localhost>"
_TRAILER = re.compile(r"([A-Z][A-Za-z-]*): (.*)")
_CONTROLS = re.compile(r"[\0-\x1f\x7f]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One git commit. `at` is when its record was made, in seconds since 1970."""

    hash: str
    parents: tuple[str, ...]
    tree: str
    title: str
    trailers: Mapping[str, str]
    at: float


def write(
    tree: str, parents: Sequence[str], title: str, trailers: Mapping[str, str], at: int
) -> bytes:
    """Return a commit as git stores it: the same bytes for the same values."""
    made = f"{_AUTHOR} {max(0, at)} +0000"
    links = "".join(f"parent {parent}\n" for parent in parents)
    ends = "".join(f"{name}: {line(value)}\n" for name, value in trailers.items())
    text = f"tree {tree}\n{links}author {made}\ncommitter {made}\n\n{line(title)}\n\n{ends}"
    return text.encode("utf-8", "replace")


def read(hash: str, data: bytes) -> Node:
    """Return the commit that git stored.

    Raises:
        MemoryCorrupt: it is none of ours.
    """
    head, _, message = data.decode("utf-8", "replace").partition("\n\n")
    fields = [field.partition(" ")[::2] for field in head.split("\n")]
    title, _, rest = message.partition("\n")
    trailers = {found[1]: found[2] for found in map(_TRAILER.fullmatch, rest.split("\n")) if found}
    try:
        return Node(
            hash=hash,
            parents=tuple(value for name, value in fields if name == "parent"),
            tree=next(value for name, value in fields if name == "tree"),
            title=title,
            trailers=MappingProxyType(trailers),
            at=_made(trailers.get(ID, ""), next(v for name, v in fields if name == "committer")),
        )
    except (StopIteration, ValueError, IndexError):
        raise MemoryCorrupt(f"commit {hash} is none of ours: run agentctx memory verify") from None


def line(text: str) -> str:
    """Return a text as one line without control characters, so that it ends where it should."""
    return _CONTROLS.sub(" ", text).strip()


def _made(id: str, committer: str) -> float:
    return ids.seconds(id) if ids.ID.fullmatch(id) else float(committer.split(" ")[-2])
