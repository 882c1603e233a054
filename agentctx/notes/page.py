"""One request of a conversation as memory sees it: what it adds, and what it is shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from agentctx.errors import LedgerError, WireError
from agentctx.marks import Place, Taking
from agentctx.memory.records import Step
from agentctx.notes import intake, recollection, scribe
from agentctx.notes.intake import Batch
from agentctx.notes.nudge import Reminder
from agentctx.notes.scribe import Entry, Scribe
from agentctx.notes.standing import Standing
from agentctx.notes.whereabouts import Known
from agentctx.options import Mode, Remember
from agentctx.stores import Stores
from agentctx.tools import names
from agentctx.values import Kind, Observation, Path, Payload, Slot

if TYPE_CHECKING:
    from agentctx.memory.memory import Memory
    from agentctx.wire import Wire

_LATE = 16  # steps at the end of a journal that a crash may have left without their marks


class Keeper(Protocol):
    """The notebook that a page belongs to."""

    stores: Stores
    own: str
    named: bool

    @property
    def observed(self) -> Collection[str]:
        """What `Session.observe` has shown of results lately."""

    @property
    def memory(self) -> Memory:
        """The memory of the session."""

    def count(self, text: str) -> int:
        """Return the tokens of a text."""

    def record(self, why: str) -> object:
        """Commit what was done since the newest record."""

    def logged(self, entries: Sequence[Entry]) -> None:
        """Note what was logged."""


@dataclass(slots=True, kw_only=True)
class Page:
    """One request: its slots without our block, where it stands, and the block that is `there`.

    `linked` says that the server keeps what stands before it, `tooled` that it offers tools. `reminder` is None where the model
    cannot commit.
    """

    keeper: Keeper
    key: str
    known: Known
    module: Wire
    slots: Sequence[Slot]
    chain: Sequence[str]
    standing: Standing
    there: str = ""
    linked: bool = False
    tooled: bool = True
    reminder: Reminder | None = None

    def remind(self, came: Observation) -> str:
        """Return the line that a new result ends with, "" mostly."""
        if self.reminder is None or came.tool in names(Remember.ON):
            return ""
        return self.reminder(came)

    def take(self, emitted: Mapping[Path, str]) -> None:
        """Take in what the request adds; decide what it is shown; after an epoch, commit first.

        Raises:
            MemoryStoreError: memory cannot be written.
            RedactionError: secrets could not be removed.
        """
        with intake.guarded():
            standing, keeper = self.standing, self.keeper
            if standing.epoch or (standing.first and standing.depth and not keeper.named):
                keeper.stores.tell("epoch", self.key, generation=standing.generation)
                keeper.record("the history was replaced")
            entries = list(self._scribe(emitted).entries())
            block = self._block()
            if not entries and block is None and standing.known == standing.depth:
                return
            batch = Batch(
                key=self.key,
                entries=entries,
                others=self._others,
                also=() if keeper.named else (_all(keeper.own),),
                position=self.chain[-1],
                generation=standing.generation,
                late=self._late(),
            )
            keeper.logged(
                intake.take(batch, keeper.memory, keeper.stores, lambda t: self._settle(t, block))
            )
            self._remember()

    def show(self, payload: Payload) -> Payload:
        """Return the request with the block of its generation, the same object if it has none."""
        block = self.known.blocks.get(self.standing.generation)
        if block is None or self.linked or not self.shows:
            return payload
        try:
            return recollection.place(self.module, payload, self.slots, block, self.there)
        except WireError as error:
            self.keeper.stores.tell("block-left-out", self.key, error=str(error))
            return payload

    @property
    def shows(self) -> bool:
        """Whether the model is shown anything of memory."""
        settings = self.keeper.stores.settings
        return settings.memory is Remember.ON and settings.mode is not Mode.METER

    def _scribe(self, emitted: Mapping[Path, str]) -> Scribe:
        return Scribe(
            slots=self.slots,
            standing=self.standing,
            emitted=emitted,
            ours=names(Remember.ON),
            safe=self.keeper.stores.redactor.redact,
            tooled=self.tooled,
            observed=self.keeper.observed,
        )

    def _block(self) -> str | None:
        """Return what this generation is to be shown; None if that is settled, or not to be."""
        generation = self.standing.generation
        if not self.shows or self.linked or generation in self.known.blocks:
            return None
        try:
            stored = self.keeper.stores.marks.block(self.key, generation)
        except LedgerError as error:
            self.keeper.stores.tell("ledger-failed", self.key, error=str(error))
            return None  # what could not be replayed is not shown
        if stored is not None:
            self.known.blocks[generation] = stored
            return None
        if not (self.standing.first or self.standing.epoch):
            return ""  # it was sent without one so far
        return recollection.recollect(self.keeper.memory, self.slots, count=self.keeper.count)

    def _late(self) -> Sequence[Step]:
        begins = self.standing.first and not self.standing.depth
        return () if self.known.recovered or begins else self.keeper.memory.live()[-_LATE:]

    @property
    def _others(self) -> set[str]:
        """The conversations whose marks count: all of a session's where a history begins midway."""
        own, moved = self.keeper.own, self.standing.first and self.standing.depth
        return {own, _all(own)} if moved and not self.keeper.named else {own}

    def _settle(self, taking: Taking, block: str | None) -> None:
        """Note how far the history was taken in, and the block of its generation."""
        standing = self.standing
        taking.reach(self._reached)
        if standing.epoch:
            said = {scribe.heard(slot.text) for slot in self.slots if slot.kind is Kind.USER}
            taking.keep(said, standing.generation)
        if block is not None:
            self.known.blocks[standing.generation] = taking.block(standing.generation, block)

    def _remember(self) -> None:
        """Keep in memory what the database has by now, or cannot take."""
        known, reached = self.known, self._reached
        known.recovered = True
        known.places |= reached
        for place in reached.values():
            known.newest = max(known.newest or place, place)

    @property
    def _reached(self) -> dict[str, Place]:
        """The points of the history that are taken in with this request."""
        standing = self.standing
        first = 0 if standing.epoch else standing.known + 1
        return {
            position: Place(standing.generation, depth)
            for depth, position in enumerate(self.chain[first:], first)
        }


def _all(own: str) -> str:
    """Return what names all conversations of a session without a name."""
    return f"{own} (all)"
