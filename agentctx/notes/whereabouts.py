"""Finds where a request stands in its conversation, from what was taken in before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from agentctx.marks import Place
from agentctx.notes import hosts, scribe
from agentctx.notes.standing import History, Standing, judge, leads, told
from agentctx.stores import Stores
from agentctx.values import Kind, Slot


@dataclass(slots=True)
class Known:
    """What this process knows of one conversation; the database has it all.

    `recovered` says that what a crash may have left was looked for.
    """

    places: dict[str, Place] = field(default_factory=dict)
    newest: Place | None = None
    blocks: dict[int, str] = field(default_factory=dict)
    recovered: bool = False


@dataclass(frozen=True, slots=True)
class Finder:
    """Looks into the marks of a data folder; `steps` returns those since the newest record."""

    stores: Stores
    steps: Callable[[], int]

    def find(
        self, key: str, known: Known, chain: Sequence[str], slots: Sequence[Slot], *, linked: bool
    ) -> Standing:
        """Return where a request of the conversation `key` stands.

        Args:
            key: names the conversation.
            known: what is known of it; more of it afterwards.
            chain: the positions of the request.
            slots: of the request.
            linked: whether a server keeps what stands before it.
        """
        self._look(key, known, chain)
        at = max((n for n, position in enumerate(chain) if position in known.places), default=-1)
        depth, newest = len(chain) - 1, known.newest
        if linked:
            return Standing(newest.generation if newest else 0, at, depth)
        history = History(known=known.places, newest=newest)
        if newest and at != depth and (at < depth - 1 or at == 0):
            missing = self._missing(key, newest.generation, slots)
            summed = any(hosts.is_summary(slot.text) for slot in slots if leads(slot))
            history = replace(history, steps=self.steps(), missing=missing, summed=summed)
        return judge(chain, history, told=told(slots))

    def _look(self, key: str, known: Known, chain: Sequence[str]) -> None:
        if chain[-1] in known.places or chain[-2:][0] in known.places:
            return  # this process has sent what it goes on from
        if new := [position for position in chain if position not in known.places]:
            stores, nothing = self.stores, dict[str, Place]()
            known.places |= stores.asked(key, lambda: stores.marks.places(key, new), nothing)
            known.newest = stores.asked(key, lambda: stores.marks.newest(key), known.newest)

    def _missing(self, key: str, generation: int, slots: Sequence[Slot]) -> bool:
        """Tell whether a request lacks something that the user had said in its generation."""
        said = {scribe.heard(slot.text) for slot in slots if slot.kind is Kind.USER}
        stores, nothing = self.stores, set[str]()
        words = stores.asked(key, lambda: stores.marks.marked(key, "user:", generation), nothing)
        return bool(words - said)
