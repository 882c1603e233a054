"""COMMIT, BRANCH, MERGE and what else moves a branch: each one transaction, all of it or nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile

from agentctx.errors import MemoryNameError, MemoryStoreError, UnknownMemory
from agentctx.memory import merge
from agentctx.memory.journals import Journals, Live
from agentctx.memory.names import MAIN
from agentctx.memory.records import (
    Branch,
    Clash,
    Commit,
    CommitKind,
    Conflict,
    Outcome,
    StepKind,
)
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store import Store
from agentctx.memory.store.operation import Operation
from agentctx.memory.store.paths import TRUSTED, head
from agentctx.memory.write import reversal
from agentctx.memory.write.compose import Entry
from agentctx.memory.write.draft import Draft, fitting
from agentctx.memory.write.joining import Sides, join, told
from agentctx.memory.write.writer import Writer, missing, put
from agentctx.values import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What writes to a memory, in the name of one author."""

    writer: Writer

    @property
    def store(self) -> Store:
        """Where it is written."""
        return self.writer.store

    @property
    def journals(self) -> Journals:
        """The steps since the last records."""
        return self.writer.journals

    @property
    def session(self) -> str:
        """Whose operations they are."""
        return self.writer.author.session

    def commit(
        self,
        name: str,
        made: Draft,
        *,
        summary: tuple[str, str] | None = None,
    ) -> Commit:
        """Write one record on a branch and seal its journal.

        `summary` is a Previous Progress Summary and the id of the record up to which it goes; it is
        used if that still is the latest one.
        """
        with self.store.transaction("commit", session=self.session) as change:
            view = self.writer.view(change, name)
            latest = view.latest if view else None
            fresh = summary and latest and summary[0] == latest.id
            written = self.writer.write(
                change,
                name,
                view,
                made,
                kind=CommitKind.COMMIT,
                summary=summary[1] if summary and fresh else None,
            )
        for step in written.steps:  # a call still waits for its result
            if step.kind is StepKind.CALL:
                self.journals.append(step)
        return written.record

    def start(
        self, name: str, purpose: str, hypothesis: str, parent: str, at: str | None
    ) -> Branch:
        """Make a branch from record or hash `at` of another, or from its newest record.

        Raises:
            MemoryNameError: there is one of that name, or one that stands in its way.
            UnknownMemory: there is nothing to start from.
            MemoryStoreError: the purpose and hypothesis are too long.
        """
        fitting("a branch", {"purpose": purpose, "hypothesis": hypothesis})
        with self.store.transaction("branch", session=self.session) as change:
            self.writer.check_free(name)
            if name == parent:
                raise MemoryNameError(f"branch {name!r} begins with its first commit: commit")
            view = self.writer.view(change, parent)
            if view is None and parent != MAIN:
                raise missing(self.store, parent)
            heard = [step.trust for step in self.journals.live(parent, view).steps]
            if view is None:
                first = self.writer.write(change, MAIN, None, Draft(contribution="Memory begins"))
                view = Snapshot(self.store, first.hash)
            elif at:
                view = self._at(view, at)
            branch = Branch(
                name=name,
                purpose=purpose,
                hypothesis=hypothesis,
                created_from=view.latest.id if view.latest else "",
                parent=parent,
                session=self.session,
                agent=self.writer.author.agent,
            )
            said = Draft(
                contribution=f"Branch {name}: {purpose}".rstrip(": "),
                trust=min([*heard, view.latest.trust if view.latest else Trust.USER]),
            )
            live = Live((), self.journals.sealed(name, None).mark)  # an older one of that name
            entry = self.writer.entry(said, branch, view, live, CommitKind.BRANCH)
            put(change, head(name), entry, view)
            return branch

    def merge(
        self, name: str, into: str, made: Draft, outcome: Outcome, policy: merge.Policy
    ) -> Commit | Conflict:
        """Unite a branch with another, and archive it; a conflict moves nothing.

        Raises:
            UnknownMemory: one of them is not there.
            MemoryStoreError: the policy answers what is no conflict.
        """
        if name == into:
            raise MemoryStoreError(f"{name!r} cannot be merged into itself: switch first")
        with self.store.transaction("merge", session=self.session) as change:
            ours, theirs = self.writer.known(change, into), self.writer.known(change, name)
            sides = Sides.of(ours, theirs, self.writer.closing(theirs, outcome, into=into))
            live = self.journals.sealed(into, ours)
            if (
                not made.contribution
            ):  # what is folded together is trusted as the least of it may be
                made = replace(made, contribution=told(theirs, outcome), trust=Trust.TOOL)
            entry = self.writer.entry(made, ours.branch, ours, live, CommitKind.MERGE)
            policy.check(_clashes(sides, entry) if policy.given else ())
            joined = join(sides, entry, policy)
            if isinstance(joined, Conflict):
                return joined
            closed = self.writer.archive(change, theirs, sides.closing)
            put(change, head(into), joined, ours, closed)
            return joined.record

    def abandon(self, name: str, lesson: str) -> Commit:
        """Archive a branch and keep its lesson in the roadmap of the branch that it came from.

        Where that one is open no more, it is `main`, else the first by name of those that are.

        Raises:
            UnknownMemory: it is not there.
            MemoryStoreError: it is the first branch, or no other is open.
        """
        with self.store.transaction("abandon", session=self.session) as change:
            view = self.writer.known(change, name)
            if name == MAIN:
                raise MemoryStoreError(f"{name!r} is where all began: it cannot be abandoned")
            others = [other for other in self.store.branches() if other != name]
            heirs = [one for one in (view.branch.parent, MAIN, *others) if one in others]
            if not heirs:
                raise MemoryStoreError(f"{name!r} is the last one open: none could keep its lesson")
            closing = self.writer.closing(view, Outcome.ABANDONED, lesson=lesson)
            self.writer.archive(change, view, closing)
            home = self.writer.known(change, heirs[0])
            lessons = dict(home.roadmap.sections).get("Lessons", "")
            own = takewhile(lambda one: one.id != view.branch.created_from, view.since())
            said = Draft(
                contribution=f"Abandoned {name}: {lesson}",
                sections={"Lessons": f"{lessons}\n- {name}: {' '.join(lesson.split())}".strip()},
                trust=min(record.trust for record in (closing.record, *own)),
            )
            return self.writer.write(change, heirs[0], home, said, kind=CommitKind.ABANDON).record

    def trust(self, name: str, id: str) -> Commit:
        """Let recall show a record that was held back, as what a person has read.

        Raises:
            UnknownMemory: there is no such record.
        """
        with self.store.transaction("trust", session=self.session) as change:
            view = self.writer.known(change, name)
            record = view.record(id)
            trusted = "".join(f"{one}\n" for one in sorted(view.trusted | {record.id}))
            said = Draft(contribution=f"Trusted record {record.id}", sources=(record.id,))
            entry = self.writer.entry(said, view.branch, view, Live((), view.mark), CommitKind.NOTE)
            entry = replace(entry, files={**entry.files, TRUSTED: trusted})
            put(change, head(name), entry, view)
            return entry.record

    def undo(self, wanted: str | None) -> Operation:
        """Take back one operation, and put the steps that it sealed back into their journal.

        Raises:
            UnknownMemory: there is no such operation.
            MemoryStoreError: later ones build upon it.
        """
        operation = reversal.chosen(list(self.store.operations()), wanted)
        kind = f"{reversal.UNDO} {operation.id}"
        with self.store.transaction(kind, session=self.session) as change:
            for move in reversal.back(operation, change):
                change.move(move.ref, move.new)
        self._unseal(operation)
        return operation

    def _at(self, view: Snapshot, name: str) -> Snapshot:
        """Return the branch as it was when it held a record as its newest."""
        wanted = view.record(name).id
        hashes = (node.hash for node in self.store.walk(view.hash) if node.id == wanted)
        if (found := next(hashes, None)) is None:
            raise UnknownMemory(
                f"record {name[:40]!r} came by a merge: start at one of the branch itself"
            )
        return Snapshot(self.store, found)

    def _unseal(self, operation: Operation) -> None:
        for name, steps in reversal.sealed(operation, self.store):
            tip = self.store.tip(name)
            live = self.journals.live(name, Snapshot(self.store, tip) if tip else None)
            known = {step.id for step in live.steps}
            for step in steps:
                if step.id not in known:
                    self.journals.append(replace(step, branch=name))


def _clashes(sides: Sides, entry: Entry) -> tuple[Clash, ...]:
    """Return all that two sides disagree about, whoever settles it."""
    found = join(sides, entry, merge.policy("agent"))
    return found.clashes if isinstance(found, Conflict) else ()
