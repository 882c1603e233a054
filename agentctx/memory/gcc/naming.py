"""Ids for what is imported: those that it has, else the ones that belong to its time and text."""

from __future__ import annotations

from collections.abc import Sequence

from agentctx.memory import ids
from agentctx.memory.gcc import fields
from agentctx.memory.gcc.paper import Entry

_TICK = 0.001
_DAY = 86_400.0


class Namer:
    """Gives every entry an id that no other has; the same folder gets the same ids again."""

    def __init__(self, now: float) -> None:
        """Let nothing be later than `now`, in seconds since 1970."""
        self._now, self._seen = now, set[str]()

    def name(
        self, entry: Entry, stated: object, seed: Sequence[str], *, at: float, after: str = ""
    ) -> str:
        """Return the id of an entry.

        Args:
            entry: what is named.
            stated: the id that it says it has.
            seed: what tells it from others of its moment.
            at: when it was made, if it does not say so.
            after: the id that it has to follow.
        """
        id = str(stated)
        if not ids.ID.fullmatch(id) or ids.seconds(id) > self._now + _DAY or id in self._seen:
            said = fields.seconds(entry.at)
            at = min(at if said is None else said, self._now)
            id = ids.derived(at, "\0".join([entry.name, *seed]))
        while id <= after or id in self._seen:
            id = ids.derived(ids.seconds(max(after, id)) + _TICK, id)
        self._seen.add(id)
        return id


def following(id: str, seed: str) -> str:
    """Return the id for what comes right after the one with this id."""
    return ids.derived(ids.seconds(id) + _TICK, seed)
