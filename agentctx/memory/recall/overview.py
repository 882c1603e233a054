"""The first thing that recall tells: what for, how far, which branches; and then all the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from agentctx.memory.recall import passages
from agentctx.memory.recall.quote import Line, Passage, own, quoted
from agentctx.memory.recall.view import View
from agentctx.memory.records import Branch, Item, Roadmap
from agentctx.memory.store.paths import ROADMAP
from agentctx.values import Trust

_OPEN, _BRANCHES = 3, 8
"""Milestones and branches that stand in the first lines."""


def overview(view: View | None, others: Mapping[str, Branch]) -> Passage:
    """Return purpose, milestone progress and branches, then what these lines left out."""
    if view is None:
        return Passage(lines=own("Nothing is remembered yet: the first commit begins a memory"))
    branches = {view.branch.name: view.branch, **others}
    listed = [passages.listed(one, one.name == view.branch.name) for one in branches.values()]
    hidden = len(listed) - _BRANCHES
    lines = [
        *_progress(view.roadmap),
        *own(f"Branches ({len(listed)}), level=branch branch=NAME:"),
        *(line for one in listed[:_BRANCHES] for line in one),
        *(own(f"({hidden} more below)") if hidden > 0 else ()),
        *_rest(view.roadmap),
        *(line for one in listed[_BRANCHES:] for line in one),
    ]
    return Passage(lines=tuple(lines), ids=tuple(branches), trust=Trust.TOOL)


def _progress(roadmap: Roadmap) -> Iterator[Line]:
    yield from _noted(f"Purpose: {passages.shortened(roadmap.purpose) or '(none given)'}")
    if roadmap.milestones:
        done = sum(item.done for item in roadmap.milestones)
        yield from own(f"Milestones: {done} of {len(roadmap.milestones)} done")
        yield from _boxes(_open(roadmap)[:_OPEN])


def _rest(roadmap: Roadmap) -> Iterator[Line]:
    if passages.shortened(roadmap.purpose) != roadmap.purpose:
        yield from own("Purpose in full:")
        yield from _noted(roadmap.purpose)
    first = _open(roadmap)[:_OPEN]
    if others := [item for item in roadmap.milestones if item not in first]:
        yield from own("Further milestones:")
        yield from _boxes(others)
    if roadmap.todo:
        yield from own("To-do:")
        yield from _boxes(roadmap.todo)
    for title, text in roadmap.sections:
        yield from _noted(f"{title}:\n{text}")


def _boxes(items: Iterable[Item]) -> Iterator[Line]:
    """Yield milestones or to-dos as check boxes."""
    for item in items:
        yield from _noted(f"- [{'x' * item.done or ' '}] {item.text}")


def _noted(text: str) -> tuple[Line, ...]:
    """Return a text of the roadmap, which does not say what each line of it rests on."""
    return quoted(text, f"noted in {ROADMAP}")


def _open(roadmap: Roadmap) -> list[Item]:
    return [item for item in roadmap.milestones if not item.done]
