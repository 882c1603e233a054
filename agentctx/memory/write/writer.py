"""Writer: puts records on refs, within one transaction, in the name of one author."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import NamedTuple

from agentctx.errors import MemoryNameError, UnknownMemory
from agentctx.memory import ids
from agentctx.memory.journals import Journals, Live
from agentctx.memory.records import Branch, Commit, CommitKind, Outcome, Step
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store import Store
from agentctx.memory.store.nodes import JOURNAL
from agentctx.memory.store.paths import archive, head
from agentctx.memory.store.transaction import Transaction
from agentctx.memory.write.compose import Author, Entry, compose
from agentctx.memory.write.draft import Draft


class Written(NamedTuple):
    """A record, the git commit that holds it, and the steps that it sealed."""

    record: Commit
    hash: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """What every operation writes with."""

    store: Store
    journals: Journals
    author: Author
    clock: Callable[[], float]

    def write(
        self,
        change: Transaction,
        name: str,
        view: Snapshot | None,
        made: Draft,
        *,
        kind: CommitKind = CommitKind.NOTE,
        summary: str | None = None,
    ) -> Written:
        """Write one record on a branch, with the steps since the one before."""
        branch = view.branch if view else Branch(name=name, session=self.author.session)
        live = self.journals.sealed(name, view)
        entry = self.entry(made, branch, view, live, kind, summary)
        return Written(entry.record, put(change, head(name), entry, view), live.steps)

    def closing(
        self, view: Snapshot, outcome: Outcome, *, into: str = "", lesson: str = ""
    ) -> Entry:
        """Return a branch's last record, with what became of it and the steps not sealed yet."""
        branch = replace(view.branch, outcome=outcome, merged_into=into, lesson=lesson)
        words = f"merged into {into}" if into else lesson
        said = Draft(contribution=f"Closed ({outcome.value}): {words}".rstrip(": "))
        return self.entry(
            said, branch, view, self.journals.sealed(branch.name, view), CommitKind.NOTE
        )

    def entry(
        self,
        made: Draft,
        branch: Branch,
        view: Snapshot | None,
        live: Live,
        kind: CommitKind,
        summary: str | None = None,
    ) -> Entry:
        """Return the record that a draft makes on a branch, and what it changes."""
        entry = compose(
            made,
            kind=kind,
            branch=branch,
            view=view,
            steps=live.steps,
            author=self.author,
            now=self.clock(),
            summary=summary,
        )
        return replace(entry, trailers={JOURNAL: live.mark} if live.mark else {})

    def archive(self, change: Transaction, view: Snapshot, closing: Entry) -> Snapshot:
        """Put a branch's last record, and move the branch away from those that are open."""
        name = view.branch.name
        names = chain([name], (f"{name}.{number}" for number in count(2)))
        free = next(one for one in names if one not in self.store.archived())
        hash = put(change, archive(free), closing, view)
        change.move(head(name), None)
        return Snapshot(self.store, hash)

    def check_free(self, name: str) -> None:
        """Raise if a branch cannot be called so beside those that there are.

        Raises:
            MemoryNameError: it is there, or one that stands in its way.
        """
        for other in self.store.branches():
            if other == name:
                raise MemoryNameError(
                    f"branch {name!r} is there already: switch to it, or take another name"
                )
            if other.startswith(f"{name}/") or name.startswith(f"{other}/"):
                raise MemoryNameError(
                    f"branch {name!r} cannot stand beside {other!r}: take a name without that prefix"
                )

    def view(self, change: Transaction, name: str) -> Snapshot | None:
        """Return a branch within the transaction, None if it is not there."""
        tip = change.tip(name)
        return Snapshot(self.store, tip) if tip else None

    def known(self, change: Transaction, name: str) -> Snapshot:
        """Return a branch within the transaction.

        Raises:
            UnknownMemory: it is not there.
        """
        if (view := self.view(change, name)) is None:
            raise missing(self.store, name)
        return view


def put(change: Transaction, ref: str, entry: Entry, *views: Snapshot | None) -> str:
    """Put a record on a ref; the commits of `views` are its parents. Return its git hash."""
    parents = [view.hash for view in views if view]
    return change.put(
        ref,
        files=entry.files,
        parents=parents,
        base=parents[0] if parents else None,
        title=entry.record.title or entry.record.kind.value,
        trailers=entry.all_trailers,
        at=ids.seconds(entry.record.id),
    )


def missing(store: Store, name: str) -> UnknownMemory:
    """Return the error that says which branches there are."""
    there = ", ".join(store.branches()) or "none yet"
    return UnknownMemory(f"no branch {name!r}: there are: {there}")
