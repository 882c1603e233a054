"""What a session does about memory: what it takes down, shows, reminds of and records by itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING

from agentctx.conversation import ALONE
from agentctx.memory.names import MAIN
from agentctx.memory.records import Commit, StepKind
from agentctx.notes import intake, recollection, scribe
from agentctx.notes.automatic import account, worth_a_record
from agentctx.notes.intake import Batch, guarded
from agentctx.notes.nudge import Pace, Reminder
from agentctx.notes.page import Page
from agentctx.notes.scribe import Entry
from agentctx.notes.standing import positions
from agentctx.notes.whereabouts import Finder, Known
from agentctx.options import Remember
from agentctx.recent import Recent
from agentctx.stores import Stores
from agentctx.tools import COMMIT, names
from agentctx.values import Observation, Payload, Slot, ToolCall

if TYPE_CHECKING:
    from agentctx.memory.memory import Memory
    from agentctx.wire import Wire

_CONVERSATIONS = 256
_LEAVING = {"context_branch", "context_switch"}  # what was heard is to be known there
_OBSERVED = 64  # results that a host may put into messages of the user's


class Notebook:
    """The memory of one session, and all that happens to it without being asked."""

    def __init__(
        self, stores: Stores, own: str, *, named: bool, count: Callable[[str], int]
    ) -> None:
        """Keep notes in the data folder of `stores`; nothing is opened before it is needed.

        Args:
            stores: where everything is kept.
            own: names the session in every record.
            named: whether that name lasts, so that a later process goes on where it stood.
            count: counts tokens.
        """
        self.stores, self.own, self.named, self.count = stores, own, named, count
        self.observed: deque[str] = deque(maxlen=_OBSERVED)
        self._lock = RLock()
        self._memory: Memory | None = None
        self._pace: Pace | None = None
        self._known: Recent[Known] = Recent(_CONVERSATIONS)

    @property
    def memory(self) -> Memory:
        """The memory, standing on the branch of this session."""
        with self._lock:
            if self._memory is None:
                self._memory = self._opened()
            return self._memory

    @property
    def pace(self) -> Pace:
        """How far the work is since the newest record."""
        with self._lock, guarded():
            if self._pace is None:
                self._pace = Pace.of(self.memory.live())
            return self._pace

    def recount(self) -> Pace:
        """Return the pace as the journal has it now: another process may have committed."""
        with self._lock:
            self._pace = None
            return self.pace

    def reminder(self) -> Reminder:
        """Return what reminds the model of committing, for one request."""
        return Reminder(self.pace, self.recount)

    def logged(self, entries: Sequence[Entry]) -> None:
        """Note what was logged."""
        with self._lock:
            for entry in entries:
                if self._pace is not None and entry.kind is StepKind.STEP:
                    made = entry.action, entry.observation, entry.exit_code
                    self._pace = self._pace.after(*made)

    def bare(self, slots: Sequence[Slot]) -> tuple[Sequence[Slot], str]:
        """Return the slots of a request without a block that we put there, and that block."""
        kept, block = recollection.part(slots)
        wrote = block and self.stores.asked(
            self.own, lambda: self.stores.marks.is_block(block), False
        )
        return (kept, block) if wrote else (slots, "")

    def page(
        self, key: str, module: Wire, payload: Payload, slots: Sequence[Slot], there: str
    ) -> Page:
        """Begin with one request of the conversation `key`; `there` is a block that it holds."""
        link = str(payload.get("previous_response_id") or "")
        key = self.own if link else key
        chain, known, tools = (
            positions(slots, link),
            self._known.get(key, Known),
            module.tool_names(payload),
        )
        return Page(
            keeper=self,
            key=key,
            known=known,
            module=module,
            slots=slots,
            chain=chain,
            standing=self._finder.find(key, known, chain, slots, linked=bool(link)),
            there=there,
            linked=bool(link),
            tooled=bool(tools),
            reminder=self.reminder() if COMMIT in tools else None,
        )

    def observe(self, came: Observation, call_id: str, shown: str) -> None:
        """Take in a result that a host has just received, and what it shows of it.

        Raises:
            MemoryStoreError: it cannot be written.
            RedactionError: secrets could not be removed.
        """
        call_id = call_id.removesuffix(ALONE)
        made = replace(came, output=shown)
        entry = scribe.step(made, call_id, came.output, self.stores.redactor.redact)
        unknown = call_id.startswith("#")  # the host may send it again under a name of its own
        self.observed.append(shown)
        self._take(
            replace(entry, told="", call_id="" if unknown else call_id),
            ahead=(entry.told,) if unknown else (),
        )

    def answered(self, text: str) -> None:
        """Take in the model's last word on a request, before a host sends it back."""
        entry = scribe.answer(text, self.stores.redactor.redact, again=True)
        self._take(replace(entry, told=""), ahead=(entry.told,))

    def called(self, slots: Sequence[Slot]) -> None:
        """Take in calls of a reply, before a host sends them back with their results."""
        safe = self.stores.redactor.redact
        for entry in scribe.calls(slots, names(Remember.ON), safe):
            self._take(entry, ahead=())

    def answer(self, call: ToolCall) -> str:
        """Return the answer to a call of one of memory's tools."""
        from agentctx.memory.tools import answer

        with self._lock:
            if call.name in _LEAVING:
                self.record("the branch was left", words=True)
            before = self.memory.current
            text = answer(self.memory, call, count=self.count)
            self._pace = None
            if self.memory.current != before:
                self.stand()
            return text

    def record(self, why: str, *, words: bool = False) -> Commit | None:
        """Commit what was done since the newest record; None when nothing was.

        Args:
            why: what the record is written for.
            words: whether something that the user said is enough to commit.

        Raises:
            MemoryStoreError: it cannot be written.
        """
        with self._lock, guarded():
            memory = self.memory
            live = memory.live()
            if not worth_a_record(live, words=words):
                return None
            latest = memory.snapshot().latest if memory.store.tip(memory.current) else None
            made = account(live, memory.state(), why, latest.next_action if latest else "")
            self._pace = None
            return memory.commit(
                made.contribution,
                done=made.done,
                next_action=made.next_action,
                sources=made.sources,
            )

    def begin(self, parent: Notebook, branch: str, purpose: str) -> None:
        """Stand on a branch of one's own that begins where `parent` stands.

        Raises:
            MemoryStoreError: it cannot be made.
        """
        memory = self.memory
        if branch in memory.store.branches():
            memory.switch(branch)
        else:
            parent.record(f"branch {branch} began", words=True)
            memory.current = parent.memory.current
            memory.branch(branch, purpose)
        self.stand()

    def stand(self) -> None:
        """Note the branch that this session stands on, for a later process."""
        if self.named:
            branch = self.memory.current
            self.stores.asked(self.own, lambda: self.stores.marks.stand(self.own, branch), None)

    def close(self) -> None:
        """Commit what is left, and let go of all files; the next use opens them again."""
        with self._lock, guarded():
            self.record("the session ended")
            if self._memory is not None:
                self._memory.close()
                self._memory, self._pace = None, None

    def _opened(self) -> Memory:
        from agentctx.memory.memory import Memory

        first = self.stores.settings.memory_branch or MAIN
        made = Memory(
            self.stores.folder,
            branch=first,
            session=self.own,
            redact=self.stores.redactor.redact,
            count=self.count,
            summarise=self.stores.summariser(self.own),
            code=self.stores.settings.memory_code,
        )
        stood = self.stores.asked(self.own, lambda: self.stores.marks.branch(self.own), None)
        if (
            self.named and stood and stood in made.store.branches()
        ):  # else it was merged or abandoned since
            made.current = stood
        return made

    @property
    def _finder(self) -> Finder:
        return Finder(self.stores, lambda: self.pace.steps)

    def _take(self, entry: Entry, *, ahead: Sequence[str]) -> None:
        batch = Batch(key=self.own, entries=[entry], others={self.own}, ahead=ahead)
        with guarded():
            self.logged(intake.take(batch, self.memory, self.stores))
