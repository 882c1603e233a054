"""What there is room for in the files of a merge: the oldest stays where it was, and is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from agentctx.memory import texts
from agentctx.memory.plan import roadmap
from agentctx.memory.records import Commit, Metadata, Roadmap
from agentctx.memory.store.objects import LIMIT

T = TypeVar("T")

_NOTE = 2_000
"""Bytes for what tells of the rest."""

_LEFT = "Left out"


def room(record: Commit) -> int:
    """Return how many bytes may be added to the file of a record."""
    return LIMIT - _NOTE - _bytes(texts.write_commit(record))


def gathered(newest_first: Iterable[T], room: int) -> list[T]:
    """Return the newest entries of a record that there is room for, oldest first."""
    found = list[T]()
    for one in newest_first:
        room -= _bytes(texts.dump({"": [one]}))
        if room < 0:
            break
        found.append(one)
    return found[::-1]


def plan(whole: Roadmap, where: str) -> Roadmap:
    """Return a roadmap that fits into its file: items leave first, those that are done before others.

    The section "Left out" says how much did, and `where` all of it is.
    """
    over = _bytes(roadmap.write(whole)) - LIMIT
    if over <= 0:
        return whole
    items = [*whole.todo, *whole.milestones]
    sections = [one for one in whole.sections if one[0] != _LEFT]
    candidates = [
        *(Roadmap(todo=(one,)) for one in sorted(items, key=lambda one: not one.done)),
        *(Roadmap(sections=(one,)) for one in sections),
    ]
    gone = list(_first(candidates, lambda one: _bytes(roadmap.write(one)) - _EMPTY, over + _NOTE))
    left = {item for one in gone for item in one.todo}
    bodies = [name for one in gone for name, _ in one.sections]
    told = f"- {len(left)} items and {len(bodies)} sections, oldest first: see {where}"
    before = dict(whole.sections).get(_LEFT, "")
    return roadmap.revised(
        replace(
            whole,
            milestones=tuple(one for one in whole.milestones if one not in left),
            todo=tuple(one for one in whole.todo if one not in left),
        ),
        sections={**dict.fromkeys(bodies), _LEFT: f"{before}\n{told}".strip()},
    )


def segment(whole: Metadata, where: str, id: str) -> Metadata:
    """Return a metadata segment that fits into its file; the key `left_out_<id>` says what is not."""
    over = _bytes(texts.dump(whole)) - LIMIT
    if over <= 0:
        return whole
    gone = dict(_first(whole.items(), lambda one: _bytes(texts.dump(dict([one]))), over + _NOTE))
    kept = {key: value for key, value in whole.items() if key not in gone}
    return {**kept, f"left_out_{id}": f"{len(gone)} keys, oldest first: see {where}"}


_EMPTY = len(roadmap.write(Roadmap()))


def _first(parts: Iterable[T], size: Callable[[T], int], over: int) -> Iterator[T]:
    """Yield as many parts as have `over` bytes together."""
    for one in parts:
        if over <= 0:
            return
        yield one
        over -= size(one)


def _bytes(text: str) -> int:
    return len(text.encode())
