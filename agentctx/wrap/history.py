"""Puts back into a caller's history what was said inside: our calls, our answers, the rounds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from agentctx.values import Kind, Payload, Slot, content_id
from agentctx.wire import Wire
from agentctx.wrap.spoken import Dialect, Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Splice:
    """What the caller did not see of one turn of the model.

    `before` are the rounds that led to it; `turn` is the turn itself where the caller saw another
    form of it, else empty; `results` answer our calls in it. `link` names the response that the
    server goes on from, where it keeps the history.
    """

    before: tuple[Item, ...] = ()
    turn: tuple[Item, ...] = ()
    results: tuple[Item, ...] = ()
    link: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """The items `start` to `end` of a history, and the key of everything up to there."""

    start: int
    end: int
    key: str


def turns(payload: Payload, wire: Wire, dialect: Dialect) -> tuple[Turn, ...]:
    """Return the model's turns, each named by all that was said until its end.

    A key covers the texts, calls and results that the caller sends, not how they are spelled:
    system texts, cache markers, reasoning, and a string against a list of text parts make no
    difference. So a splice is found again after a restart and in a fork, and never in another
    conversation; a caller who changed an earlier message has moved the prefix himself.
    """
    found: list[Turn] = []
    key = ""
    for start, end, by_model, said in _groups(payload, wire, dialect):
        key = _next(key, by_model, said)
        if by_model:
            found.append(Turn(start, end, key))
    return tuple(found)


def key_after(payload: Payload, seen: Sequence[Item], wire: Wire, dialect: Dialect) -> str:
    """Return the key of the turn `seen` that answers `payload`."""
    key = ""
    for _, _, by_model, said in _groups(payload, wire, dialect):
        key = _next(key, by_model, said)
    answer = {**payload, dialect.KEY: list(seen)}
    return _next(key, True, _told(_by_item(answer, wire, dialect).values()))


def complete(
    payload: Payload, made: Sequence[Turn], splices: Mapping[str, Splice], dialect: Dialect
) -> Payload:
    """Return the request with the splices of its turns in place; itself when there are none."""
    items = payload[dialect.KEY]
    for turn in reversed(made):
        splice = splices.get(turn.key)
        if splice is not None:
            given = items[turn.start : turn.end]
            standing = dialect.like(splice.turn, given) if splice.turn else given
            rest = dialect.before(splice.results, items[turn.end :])
            items = [*items[: turn.start], *splice.before, *standing, *rest]
    return payload if items is payload[dialect.KEY] else {**payload, dialect.KEY: items}


def _groups(
    payload: Payload, wire: Wire, dialect: Dialect
) -> Iterator[tuple[int, int, bool, list[Any]]]:
    """Yield each stretch of items that one side made: its start, end, side and what it says."""
    items = payload.get(dialect.KEY)
    if isinstance(items, str):
        yield 0, 1, False, _told([wire.read(payload)])
        return
    slots = _by_item(payload, wire, dialect)
    history: Sequence[Item] = items or ()
    sides = groupby(range(len(history)), lambda index: dialect.by_model(history[index]))
    for by_model, indices in sides:
        stretch = list(indices)
        said = _told(slots.get(index, []) for index in stretch)
        yield stretch[0], stretch[-1] + 1, by_model, said


def _by_item(payload: Payload, wire: Wire, dialect: Dialect) -> dict[int, list[Slot]]:
    found: dict[int, list[Slot]] = {}
    for slot in wire.read(payload):
        if slot.path[0] == dialect.KEY and len(slot.path) > 1:
            found.setdefault(int(slot.path[1]), []).append(slot)
    return found


def _told(items: Any) -> list[Any]:
    slots = [slot for item in items for slot in item]
    text = "".join(slot.text for slot in slots if slot.kind in (Kind.USER, Kind.ASSISTANT))
    calls = [
        (slot.call_id, slot.tool, slot.text if slot.arguments is None else dict(slot.arguments))
        for slot in slots
        if slot.kind is Kind.TOOL_CALL
    ]
    results: dict[str, str] = {}
    for slot in slots:
        if slot.kind is Kind.OBSERVATION:
            results[slot.call_id] = results.get(slot.call_id, "") + slot.text
    return [text.strip(), calls, results]


def _next(key: str, by_model: bool, said: list[Any]) -> str:
    return content_id(json.dumps([key, by_model, said], sort_keys=True, default=str))
