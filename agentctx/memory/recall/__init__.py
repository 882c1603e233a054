"""CONTEXT: what a memory remembers, level by level, within a budget and with a way to go on.

Source: Git-Context-Controller, §2.2 (CONTEXT); the level `search` is ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from agentctx.errors import ToolError, UnknownMemory
from agentctx.memory.recall import cursor, levels, passages
from agentctx.memory.recall.cursor import Point
from agentctx.memory.recall.frame import Frame, framed
from agentctx.memory.recall.levels import Story
from agentctx.memory.recall.overview import overview
from agentctx.memory.recall.search import Hit
from agentctx.memory.recall.view import View
from agentctx.memory.recall.window import Window, downwards, reaches, upwards
from agentctx.memory.records import Branch, Recall, Step, StepKind
from agentctx.values import Trust

__all__ = ["BUDGETS", "LEAST", "Request", "View", "level_of", "recall"]

BUDGETS = {
    "status": 200,
    "branch": 600,
    "commit": 2_000,
    "log": 2_000,
    "metadata": 1_000,
    "search": 1_000,
}
"""The levels, and the tokens that an answer may take unless told otherwise."""

LEAST = 50
"""Tokens below which no answer can be given."""

_MOST = 1_000  # records or hits


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be recalled.

    Attributes:
        level: one of `BUDGETS`; "" is what the other fields ask for, `status` if none does.
        branch: the branch ("": the current one).
        commit: a record's id, the start of it, or its git hash ("": the latest).
        segment: the metadata segment ("": which there are).
        query: the words to search for.
        k: how many records, or hits.
        cursor: where an answer to the same request ended.
        min_trust: leave out what is trusted less.
    """

    level: str = ""
    branch: str = ""
    commit: str = ""
    segment: str = ""
    query: str = ""
    k: int = 1
    cursor: str = ""
    min_trust: Trust = Trust.UNTRUSTED


def recall(
    view: View | None,
    others: Mapping[str, Branch],
    live: Sequence[Step],
    request: Request,
    *,
    hits: Sequence[Hit] = (),
    count: Callable[[str], int],
    budget: int | None = None,
) -> Recall:
    """Return what a memory remembers of what a request asks for.

    Args:
        view: the branch that is asked for; None where nothing was committed yet.
        others: all branches by name.
        live: steps that no record has sealed yet.
        request: what to recall.
        hits: what a search found, for that level.
        count: counts tokens.
        budget: tokens that the answer may take; the default depends on the level.

    Raises:
        ToolError: the request, its cursor or the budget cannot be used.
        UnknownMemory: it asks for what is not there.
    """
    level, budget = level_of(request), _budget(request, budget)
    story = _story(level, view, others, live, request, hits, count)
    point, newer = cursor.read(level, request.cursor) if request.cursor else (None, False)
    if point is not None:
        _check(story, point, request.cursor)
    branch = view.branch.name if view else request.branch
    frame = Frame(
        level=level,
        branch=branch,
        id=story.id,
        arguments=_arguments(level, request, branch, story.id),
        scrolls=story.before is not None,
        up=story.before is not None and not newer,
    )
    return framed(partial(_page, story, point, newer, count), frame, count, budget)


def level_of(request: Request) -> str:
    """Return the level that a request asks for.

    Raises:
        ToolError: there is none of that name.
    """
    asked = {
        "search": request.query,
        "metadata": request.segment,
        "commit": request.commit,
        "branch": request.branch,
    }
    level = request.level or next((name for name, given in asked.items() if given), "status")
    if level not in BUDGETS:
        raise ToolError(f"level {str(level)[:40]!r} is unknown: use one of {', '.join(BUDGETS)}")
    return level


def _budget(request: Request, budget: int | None) -> int:
    if isinstance(request.k, bool) or not isinstance(request.k, int) or not 1 <= request.k <= _MOST:
        raise ToolError(f"k {str(request.k)[:20]!r} cannot be used: ask for 1 to {_MOST}")
    budget = BUDGETS[level_of(request)] if budget is None else budget
    if budget < LEAST:
        raise ToolError(f"a budget of {budget} tokens is too small: allow {LEAST} or more")
    return budget


def _story(
    level: str,
    view: View | None,
    others: Mapping[str, Branch],
    live: Sequence[Step],
    request: Request,
    hits: Sequence[Hit],
    count: Callable[[str], int],
) -> Story:
    least = request.min_trust
    if level == "search":
        if not request.query.strip():
            raise ToolError("search needs 'query': the words to look for")
        return levels.search(request.query, hits, least, view)
    if level == "status":
        latest = view.latest if view else None
        return levels.whole(overview(view, others), latest.id if latest else "")
    if level == "log" and not request.commit:
        return levels.log(live, least)
    if request.commit and (said := _said(view, live, request.commit)) is not None:
        return levels.whole(passages.step(said, least), said.id)
    if view is None:
        raise UnknownMemory("nothing is remembered yet: commit a first record")
    return _of_branch(level, view, live, request, count)


def _said(view: View | None, live: Sequence[Step], id: str) -> Step | None:
    """Return the user's message of that id, as the execution state names those that it cuts."""
    words = view.words if view else ()
    kept = (Step(id=w.id, kind=StepKind.USER, observation=w.text, trust=Trust.USER) for w in words)
    heard = (step for step in live if step.kind is StepKind.USER)
    return next((step for step in (*kept, *heard) if step.id == id), None)


def _of_branch(
    level: str, view: View, live: Sequence[Step], request: Request, count: Callable[[str], int]
) -> Story:
    """Return what is told of a branch, its metadata or one of its records."""
    least = request.min_trust
    if level == "branch":
        return levels.branch(view, live, request.k, least)
    if level == "metadata":
        return levels.metadata(view, request.segment, count)
    found = view.record(request.commit) if request.commit else view.latest
    if found is None:
        raise UnknownMemory(f"branch {view.branch.name!r} has no record yet: commit one")
    if level == "log":
        return levels.log(view.steps(found), least, found)
    return levels.commit(found, least)


def _page(
    story: Story, point: Point | None, newer: bool, count: Callable[[str], int], size: int
) -> Window:
    """Return the part of a story from a point on that takes up to `size` tokens."""
    if story.before is None or newer:
        start = point or Point()
        return downwards(story.after(start.key), start, size, count)
    return upwards(story.before(point.key if point else ""), point, size, count)


def _check(story: Story, point: Point, given: str) -> None:
    first = next(story.after(point.key), None)
    if first is None or not reaches(first, point):
        raise cursor.wrong(given)


def _arguments(level: str, request: Request, branch: str, id: str) -> str:
    """Return what has to be asked again, together with a cursor, to go on."""
    given = {
        "branch": request.branch if level == "search" else branch,
        "commit": id if level == "commit" or request.commit else "",
        "segment": request.segment if level == "metadata" else "",
        "query": json.dumps(request.query, ensure_ascii=False) if level == "search" else "",
        "k": str(request.k) if request.k != 1 and level in ("branch", "search") else "",
        "min_trust": request.min_trust.name.lower() if request.min_trust else "",
    }
    return " ".join([f"level={level}", *(f"{k}={value}" for k, value in given.items() if value)])
