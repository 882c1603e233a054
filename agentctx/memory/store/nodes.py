"""Commits of a memory as git stores them: a title, trailers, one author."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol, TypeVar

from agentctx.errors import MemoryCorrupt
from agentctx.memory import ids

TRAILERS = ID, PATH, KIND, SESSION, JOURNAL = (
    "Agentctx-Id",
    "Agentctx-Path",
    "Agentctx-Kind",
    "Agentctx-Session",
    "Agentctx-Journal",
)
"""What the git commit of a record says of it."""

_AUTHOR = "agentctx <agentctx@localhost>"
_TRAILER = re.compile(r"([A-Z][A-Za-z-]*): (.*)")
_CONTROLS = re.compile(r"[\0-\x1f\x7f]+")


class Linked(Protocol):
    """What a walk needs to know of a commit."""

    @property
    def hash(self) -> str:
        """Its name."""

    @property
    def parents(self) -> tuple[str, ...]:
        """Those of the commits before it."""


L = TypeVar("L", bound=Linked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One git commit. `at` is when its record was made, in seconds since 1970."""

    hash: str
    parents: tuple[str, ...]
    tree: str
    title: str
    trailers: Mapping[str, str]
    at: float

    @property
    def id(self) -> str:
        """The id of its record, "" where it holds none."""
        return self.trailers.get(ID, "")

    @property
    def path(self) -> str:
        """Where its record stands in its tree, "" where it holds none."""
        return self.trailers.get(PATH, "")

    @property
    def mark(self) -> str:
        """Up to where it seals the journal of its branch, "" where it seals nothing."""
        return self.trailers.get(JOURNAL, "")


def reached(tips: Iterable[str], node: Callable[[str], L]) -> Iterator[L]:
    """Yield all commits that the tips lead to, each once, the nearest first."""
    waiting, seen = deque(tips), set[str]()
    while waiting:
        if (hash := waiting.popleft()) not in seen:
            seen.add(hash)
            one = node(hash)
            yield one
            waiting.extend(one.parents)


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
