"""Everything that a session keeps on disk, opened when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from agentctx.config import Settings
from agentctx.errors import AgentctxError
from agentctx.events import Event, Log
from agentctx.values import Observation, content_id

if TYPE_CHECKING:
    from agentctx.archive import Archive
    from agentctx.diary import Diary
    from agentctx.learn.proposer import Ask
    from agentctx.ledger import Decision, Key, Ledger
    from agentctx.marks import Marks
    from agentctx.memory.records import Commit, Step
    from agentctx.memory.write.fold import Summariser
    from agentctx.pool import Pool
    from agentctx.secrets import Redactor
    from agentctx.terminal.rules.book import Book
    from agentctx.terminal.rules.rule import Rule

Answer = TypeVar("Answer")

ARCHIVE, LEDGER, RULES, OVERLAY = "archive", "state.db", "rules", "overlay.json"
_SUMMARISER = "agentctx.adapters.litellm_summary"  # frameworks are met in adapters only
_PROPOSER = "agentctx.adapters.litellm_rules"


class Stores:
    """The archive, the ledger and the redactor of one data folder."""

    def __init__(self, settings: Settings, redactor: Redactor | None = None) -> None:
        """Use the folder of these settings; `redactor` replaces the one that ships."""
        self.settings = settings
        self._redactor = redactor
        self.events = Log(self._note)

    @cached_property
    def folder(self) -> Path:
        """The data folder, made if need be."""
        return self.settings.open_data()

    @cached_property
    def archive(self) -> Archive:
        """The originals."""
        from agentctx.archive import Archive

        return Archive(self.folder / ARCHIVE, cap=self.settings.archive_cap)

    @cached_property
    def ledger(self) -> Ledger:
        """The decisions."""
        from agentctx.ledger import Ledger

        return Ledger(self.folder / LEDGER)

    @cached_property
    def marks(self) -> Marks:
        """What memory has taken in of each conversation."""
        from agentctx import db
        from agentctx.marks import Marks

        return Marks(db.engine(self.folder / LEDGER))

    @cached_property
    def book(self) -> Book:
        """The rules that may hide lines: those that ship, of packs in `rules/`, of the overlay."""
        from agentctx.terminal.rules import overlay, pack
        from agentctx.terminal.rules.book import Book

        if not self.settings.ruled:
            return Book(())
        found = pack.known(self.settings.data / RULES, self.refused)
        try:
            return Book(overlay.laid_over(self.overlay, found))
        except AgentctxError as error:
            self.refused(error)
            return Book(found)

    @property
    def overlay(self) -> Path:
        """The file that says what is known here better than in the packs."""
        return self.settings.data / RULES / OVERLAY

    def reread(self) -> None:
        """Read the rules again when they are asked for next: they have changed."""
        vars(self).pop("book", None)

    @cached_property
    def diary(self) -> Diary:
        """What was seen of outputs and rules."""
        from agentctx import db
        from agentctx.diary import Diary

        return Diary(db.engine(self.folder / LEDGER))

    @property
    def pool_place(self) -> str | Path:
        """Where the pool of rules lies: what the settings name, or a file of this user's."""
        from platformdirs import user_data_path

        return self.settings.pool_url or user_data_path("agentctx") / "pool.db"

    def pool(self) -> Pool:
        """Open the pool of rules.

        Raises:
            LedgerError: it cannot be used.
        """
        from agentctx.pool import opened

        return opened(self.pool_place)

    @cached_property
    def redactor(self) -> Redactor:
        """What takes the secrets out."""
        from agentctx.secrets import default

        return self._redactor or default(self.folder)

    def summariser(self, session: str) -> Summariser | None:
        """Return what writes progress summaries, if the settings name a model for it.

        That it fails is an event and raised again: the caller folds by itself then.
        """
        model = self.settings.memory_model
        if not model:
            return None

        def summarise(previous: Commit, steps: Sequence[Step]) -> str:
            try:
                made = import_module(_SUMMARISER).ModelSummariser(model=model)
                return str(made(previous, steps))
            except Exception as error:
                self.tell("summary-failed", session, model=model, error=str(error)[:500])
                raise

        return summarise

    def proposer(self) -> Ask | None:
        """Return what proposes rules, if the settings name a model for it."""
        model = self.settings.pool_model
        return import_module(_PROPOSER).ModelProposer(model=model) if model else None

    def chosen(self, observation: Observation, length: int) -> tuple[Rule, ...]:
        """Return the rules for an output of `length` lines; the packs are read when first asked."""
        return self.book.chosen(observation, length)

    def refused(self, error: AgentctxError) -> None:
        """Note that a rule cannot be used."""
        self.tell("rules-refused", "", error=str(error)[:500])

    def tell(self, kind: str, session: str, **detail: object) -> None:
        """Note that something happened; this never fails."""
        self.events(Event(kind, session, detail))

    def find(self, session: str, keys: Collection[Key]) -> dict[Key, Decision]:
        """Return the known ones of these decisions; none when the ledger cannot be read."""
        return self.asked(session, lambda: self.ledger.find(session, keys), {}) if keys else {}

    def decisions(self, session: str) -> Sequence[Decision]:
        """Return all decisions of a session in order; none when the ledger cannot be read."""
        return self.asked(session, lambda: self.ledger.decisions(session), ())

    def emitted(self, text: str) -> bool:
        """Tell whether a text is what some decision has put in the place of an original."""
        nothing: set[str] = set()
        return bool(self.asked("", lambda: self.ledger.emitted([content_id(text)]), nothing))

    def decide_all(self, made: Sequence[Decision]) -> Sequence[Decision]:
        """Store decisions, the first of each key wins; none when the ledger cannot be written."""
        return self.asked(made[0].session, lambda: self.ledger.decide_all(made), ())

    def claim(self, name: str) -> str:
        """Return the handle of an original, which leads to no other, whatever became of the ledger.

        Raises:
            ArchiveError: the archive cannot be read.
            LedgerError: the ledger cannot be written.
        """
        return self.ledger.claim(name, self.archive.near(name))

    def resolve(self, handle: str) -> str:
        """Return the content id that a handle stands for: the one it was given to comes first.

        Raises:
            ArchiveError: none, or several, fit.
        """
        given = self.asked("", lambda: self.ledger.claimed(handle), None)
        return given or self.archive.resolve(handle)

    def asked(self, session: str, question: Callable[[], Answer], otherwise: Answer) -> Answer:
        """Ask the database; `otherwise` when it cannot answer: savings fail open (law 7)."""
        try:
            return question()
        except AgentctxError as error:
            self.tell("ledger-failed", session, error=str(error))
            return otherwise

    def _note(self, event: Event) -> None:
        self.ledger.note(event)
