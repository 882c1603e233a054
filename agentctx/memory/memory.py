"""Memory: what agents remember, on branches, in git; the one door to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Self, Unpack

from agentctx import tokens
from agentctx.errors import MemoryStoreError
from agentctx.memory import code, ids, merge, names
from agentctx.memory.hygiene import safely
from agentctx.memory.reader import Reader
from agentctx.memory.records import Branch, Commit, Conflict, Outcome, Step, StepKind
from agentctx.memory.store.operation import Operation
from agentctx.memory.write.changes import Changes
from agentctx.memory.write.compose import Author
from agentctx.memory.write.draft import Details, Safe, draft, text, verbatim
from agentctx.memory.write.fold import Summariser, bounded
from agentctx.memory.write.writer import Writer
from agentctx.values import Trust


class Memory(Reader):
    """A project's memory as one session sees it, standing on one branch.

    Many sessions, processes and threads may share a folder. Whatever a method returned is on disk;
    steps survive the end of the process and, from the next commit on, a power cut.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        branch: str = names.MAIN,
        session: str = "",
        agent: str = "",
        trust: Trust = Trust.MODEL,
        redact: Safe = str,
        count: Callable[[str], int] = tokens.estimate,
        clock: Callable[[], float] = time.time,
        summarise: Summariser | None = None,
        code: str = "",
    ) -> None:
        """Use the memory in a data folder; nothing is made before the first step or operation.

        Args:
            folder: the data folder of the project.
            branch: the branch to stand on; it begins with the first commit if it is not there.
            session: names who writes, in every record.
            agent: names the agent.
            trust: how far the author's own words are trusted: USER at a person's keyboard.
            redact: takes secrets out of everything that is stored.
            count: counts tokens.
            clock: seconds since 1970.
            summarise: writes Previous Progress Summaries in place of the bounded fold.
            code: the code commit of records that name none: "" for none, or as in `commit`.

        Raises:
            MemoryNameError: no branch may be called so.
        """
        super().__init__(folder, branch=branch, count=count, clock=clock)
        self.author = Author(session=session, agent=agent, trust=trust)
        self.redact, self._summarise, self._code = redact, summarise, code

    @cached_property
    def _changes(self) -> Changes:
        return Changes(
            writer=Writer(
                store=self.store, journals=self._journals, author=self.author, clock=self._clock
            )
        )

    def log(
        self,
        *,
        observation: str = "",
        thought: str = "",
        action: str = "",
        exit_code: int | None = None,
        trust: Trust = Trust.TOOL,
        call_id: str = "",
        original: str = "",
        kind: StepKind = StepKind.STEP,
    ) -> Step:
        """Append one step to the journal of the branch, and return it.

        Args:
            observation: what the tool returned, or the user said.
            thought: what the model thought before it acted.
            action: the tool call or command.
            exit_code: of the command, if known.
            trust: how far the observation is trusted.
            call_id: names the tool call.
            original: content id of the observation in the archive.
            kind: what the step is.

        Raises:
            MemoryStoreError: it cannot be written.
            RedactionError: secrets could not be removed.
        """
        said = text if kind is not StepKind.USER else verbatim
        step = Step(
            id=ids.new(self._clock()),
            kind=kind,
            observation=said("observation", observation, self.redact),
            thought=text("thought", thought, self.redact),
            action=text("action", action, self.redact),
            exit_code=exit_code,
            trust=trust,
            session=self.author.session,
            call_id=call_id,
            original=original,
            branch=self.current,
        )
        self._journals.append(step)
        return step

    def heard(self, message: str) -> Step:
        """Note what the user said, in their own words."""
        return self.log(observation=message, trust=Trust.USER, kind=StepKind.USER)

    def answered(self, message: str = "") -> Step:
        """Note that the assistant had its last word on what the user asked for so far."""
        return self.log(thought=message, trust=Trust.MODEL, kind=StepKind.ANSWER)

    def commit(self, contribution: str, **details: Unpack[Details]) -> Commit:
        """COMMIT: write a record of what was achieved, and seal the journal (see `Details`).

        Raises:
            MemoryStoreError: it cannot be written; nothing was.
            RedactionError: secrets could not be removed.
        """
        made = draft(contribution, details, self.redact)
        if not made.contribution.strip():
            raise MemoryStoreError("a commit needs its contribution: say what was achieved")
        made = replace(made, code=code.chosen(made.code, self._code, made.contribution))
        return self._changes.commit(self.current, made, summary=self._summary())

    def branch(
        self,
        name: str,
        purpose: str,
        *,
        hypothesis: str = "",
        start: str | None = None,
        switch: bool = True,
    ) -> Branch:
        """BRANCH: begin a line of work at the newest record, or at `start`, and stand on it.

        Raises:
            MemoryNameError: no branch may be called so, or one stands in its way.
            UnknownMemory: there is no such start.
        """
        words = (text("purpose", purpose, self.redact), text("hypothesis", hypothesis, self.redact))
        made = self._changes.start(names.branch(name), *words, self.current, start)
        if switch:
            self.current = made.name
        return made

    def switch(self, name: str) -> Branch:
        """Stand on another branch; `UnknownMemory` says which there are."""
        found = self.snapshot(names.branch(name)).branch
        self.current = name
        return found

    def merge(
        self,
        name: str,
        *,
        outcome: Outcome = Outcome.SUCCESS,
        summary: str = "",
        policy: str = "agent",
        resolutions: Mapping[str, str] | None = None,
        **details: Unpack[Details],
    ) -> Commit | Conflict:
        """MERGE: unite a branch with the one that this session stands on, and archive it.

        Args:
            name: the branch to merge.
            outcome: what became of it.
            summary: what it brought; the default is told from its records.
            policy: "ours", "theirs", "both", or "agent": what disagrees comes back as a `Conflict`.
            resolutions: item of a conflict → "ours", "theirs", "both" or the text to take.
            details: what else the record says.

        Raises:
            UnknownMemory: there is none of that name.
            MemoryStoreError: the policy or a resolution cannot be used.
        """
        chosen = merge.policy(policy, resolutions, self.redact)
        made = draft(summary, details, self.redact)
        return self._changes.merge(names.branch(name), self.current, made, Outcome(outcome), chosen)

    def abandon(self, name: str, lesson: str) -> Commit:
        """Archive a branch that led nowhere, and keep its lesson in the roadmap."""
        made = self._changes.abandon(names.branch(name), text("lesson", lesson, self.redact))
        if self.current == name:
            self.current = made.branch
        return made

    def trust(self, id: str) -> Commit:
        """Show a record that was held back from now on: a person has read it."""
        return self._changes.trust(self.current, id)

    def undo(self, operation: str | None = None) -> Operation:
        """Take back the newest operation, or the one that begins so.

        If the branch that this session stood on is gone with it, it stands on the first one.
        """
        undone = self._changes.undo(operation)
        there = self.store.branches()
        if self.current not in there:
            self.current = next(iter(there), names.MAIN) if names.MAIN not in there else names.MAIN
        return undone

    def close(self) -> None:
        """Trim the journals, finish what runs in the background, and let go of all files."""
        if "_journals" in self.__dict__:
            if (view := self._view(self.current)) is not None:
                self._journals.trim(self.current, view)
            self._journals.close()
            del self._journals
        if "store" in self.__dict__:
            self.store.close()
            del self.store
        self.__dict__.pop("_changes", None)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close."""
        self.close()

    def _summary(self) -> tuple[str, str] | None:
        """Return what the summariser makes of the newest record, with its id; None if nothing."""
        view = self._view(self.current) if self._summarise else None
        latest = view.latest if view else None
        if self._summarise is None or latest is None or latest.quarantined:
            return None
        try:
            written = self._summarise(latest, self.live())
        except Exception:  # a commit does without a summary rather than not at all
            return None
        return latest.id, bounded(safely(written, self.redact))
