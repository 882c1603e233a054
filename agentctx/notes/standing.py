"""Where a request stands in its conversation: whether it goes on from what was sent before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from agentctx.marks import Place
from agentctx.values import Kind, Slot, content_id

_WORTH = 10
"""Steps after which a host that drops old turns at every request may be told anew."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a request is to its conversation.

    `generation` counts how often the history was replaced, `known` the turns that were taken in
    before (-1: not even what stands before the first). `epoch` tells that the host has compacted
    or replaced its history, `first` that the conversation begins here.
    """

    generation: int
    known: int
    depth: int
    epoch: bool = False
    first: bool = False

    @property
    def goes_on(self) -> bool:
        """Whether no more than one turn is new, and nothing before it has changed."""
        return not self.epoch and self.known >= self.depth - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What of a conversation was taken in before.

    `newest` is its newest generation with the most turns of that; `steps` are those logged since
    the newest record; `missing` says that the request lacks something that the user had said,
    `summed` that it begins with a summary.
    """

    known: Mapping[str, Place]
    newest: Place | None
    steps: int = 0
    missing: bool = False
    summed: bool = False


def positions(slots: Sequence[Slot], link: str = "") -> tuple[str, ...]:
    """Return what names the history before the first turn, and at the end of each turn.

    System texts, reasoning, cache markers and the way a text is spelled make no difference. `link`
    names what a server keeps before it.
    """
    said: dict[int, list[tuple[str, str, str]]] = {0: []}
    for slot in slots:
        told = said.setdefault(slot.turn, [])
        if slot.text and slot.kind not in (Kind.SYSTEM, Kind.REASONING):
            told.append((slot.kind.value, slot.call_id, slot.text))
        elif slot.call_id and slot.kind in (Kind.OBSERVATION, Kind.OPAQUE):  # a result says nothing
            told.append((Kind.OBSERVATION.value, slot.call_id, ""))
    chain, key = list[str](), link
    for turn in sorted(said):
        key = content_id(json.dumps([key, said[turn]]))[:32]
        chain.append(key)
    return tuple(chain)


def judge(chain: Sequence[str], history: History, *, told: bool) -> Standing:
    """Return where a request stands.

    A host compacts when it goes on from an early point with far fewer turns, or without something
    that the user had said. One that retries or explores another turn goes on from a later point;
    one that drops a turn at every request is only followed now and then.

    Args:
        chain: the positions of the request.
        history: what is known of the conversation.
        told: whether its first turn is all text, as a summary is.
    """
    depth = len(chain) - 1
    at = max((index for index, key in enumerate(chain) if key in history.known), default=-1)
    newest = history.newest
    if newest is None:
        return Standing(0, at, depth, first=True)
    if at < 0:
        if _renewed(depth, history, newest):
            return Standing(newest.generation, at, depth)
        return Standing(newest.generation + 1, at, depth, epoch=True)
    here = history.known[chain[at]].generation
    if here == newest.generation and _compacted(at, depth, history, newest, told=told):
        return Standing(here + 1, at, depth, epoch=True)
    return Standing(here, at, depth)


def _renewed(depth: int, history: History, newest: Place) -> bool:
    """Tell whether a host merely changes its first message, as some do at every request."""
    lost = history.summed or (history.missing and history.steps >= _WORTH)
    return 0 < newest.depth <= depth and not lost


def _compacted(at: int, depth: int, history: History, newest: Place, *, told: bool) -> bool:
    if at == depth or not newest.depth:
        return False
    if at == depth - 1:
        return at == 0 and newest.depth > 1 and (told or history.missing)
    slid = at == 0 and history.steps >= _WORTH and depth <= newest.depth
    return 2 * depth <= newest.depth or history.missing or slid


def leads(slot: Slot) -> bool:
    """Tell whether a slot is something that the user says before the model's first turn."""
    return slot.turn == 0 and slot.kind is Kind.USER


def told(slots: Sequence[Slot]) -> bool:
    """Tell whether the first turn of the model's is all text, as a summary is."""
    kinds = {slot.kind for slot in slots if slot.turn == 1}
    return Kind.ASSISTANT in kinds and Kind.TOOL_CALL not in kinds


def turns(slots: Sequence[Slot]) -> dict[int, list[Slot]]:
    """Return the slots of each turn; those of turn 0 stand before the model's first."""
    return {turn: list(run) for turn, run in groupby(slots, key=lambda slot: slot.turn)}
