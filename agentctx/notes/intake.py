"""Takes entries into the journal, each exactly once: over restarts, retries, forks and processes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from agentctx.errors import AgentctxError, ArchiveError, LedgerError, MemoryStoreError
from agentctx.marks import Taking
from agentctx.memory.memory import Memory
from agentctx.memory.records import Step, StepKind
from agentctx.notes.scribe import Entry
from agentctx.stores import Stores
from agentctx.terminal import marker
from agentctx.values import Trust

_GIST = re.compile(r"\W+")
_LONG = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What is taken in at once.

    `key` names the conversation; the marks of `others` count as well, and `also` get those that are
    made. `position` is the history that the batch ends with. `ahead` are marks of what will come again, `late` steps that a crash may have left
    in the journal without their marks.
    """

    key: str
    entries: Sequence[Entry]
    others: Collection[str] = ()
    also: Collection[str] = ()
    position: str = ""
    generation: int = 0
    ahead: Collection[str] = ()
    late: Sequence[Step] = ()


def take(
    batch: Batch,
    memory: Memory,
    stores: Stores,
    then: Callable[[Taking], None] | None = None,
) -> list[Entry]:
    """Log what is new of a batch, note that it was, and do `then`; return what was logged.

    The marks are kept in a transaction around the journal: another process waits, and a step that
    could not be written leaves none. Without a ledger everything counts as new.

    Raises:
        MemoryStoreError: a step cannot be written.
        RedactionError: secrets could not be removed.
    """
    left, logged = [_kept(entry, stores) for entry in batch.entries], list[Entry]()
    try:
        with stores.marks.taking(batch.key) as taking:
            ahead_of_us = bool(batch.position) and taking.knows(batch.position)
            while left:
                entry = left[0]
                if _is_new(taking, entry, batch, again=entry.again and not ahead_of_us):
                    _log(entry, memory)
                    logged.append(entry)
                del left[0]
            if batch.ahead:
                taking.add(batch.ahead, (), batch.generation)
            if then is not None:
                then(taking)
    except LedgerError as error:
        stores.tell("ledger-failed", batch.key, error=str(error))
        for entry in left:
            _log(entry, memory)
            logged.append(entry)
    return logged


@contextmanager
def guarded() -> Iterator[None]:
    """Fail closed (law 7): whatever breaks memory comes out as a typed error."""
    try:
        yield
    except AgentctxError:
        raise
    except Exception as error:
        raise MemoryStoreError(
            f"memory cannot be used: {type(error).__name__}: {error}: run agentctx memory verify"
        ) from error


def _is_new(taking: Taking, entry: Entry, batch: Batch, *, again: bool) -> bool:
    known = taking.known((*entry.marks, entry.told), batch.others)
    if not known.intersection(entry.marks):
        taking.add(entry.marks, batch.also, batch.generation)
        again = True
    if entry.told in known:
        taking.remove(entry.told, batch.others)
        return False
    return again and not any(_same(entry, step) for step in batch.late)


def _same(entry: Entry, step: Step) -> bool:
    """Tell whether a step of the journal is what an entry would become."""
    if entry.kind is not step.kind or entry.call_id != step.call_id:
        return False
    pairs = (entry.observation, step.observation), (entry.thought, step.thought)
    return all(_gist(ours) == _gist(theirs) for ours, theirs in pairs)


def _gist(text: str) -> str:
    return _GIST.sub("", text)[:_LONG]


def _log(entry: Entry, memory: Memory) -> None:
    if entry.kind is StepKind.USER:
        memory.heard(entry.observation)
    elif entry.kind is StepKind.ANSWER:
        memory.answered(entry.thought)
    else:
        memory.log(
            observation=entry.observation,
            thought=entry.thought,
            action=entry.action,
            exit_code=entry.exit_code,
            trust=Trust.TOOL,
            call_id=entry.call_id,
            original=entry.original,
            kind=entry.kind,
        )


def _kept(entry: Entry, stores: Stores) -> Entry:
    """Return an entry with the content id of its whole observation in the archive, if it is there."""
    try:
        if found := marker.handles(entry.observation):
            return replace(entry, original=stores.resolve(found[-1]))
        if entry.whole:
            redact = stores.redactor.redact
            raw = redact(entry.whole).encode("utf-8", "surrogatepass")
            return replace(entry, original=stores.archive.put(raw, command=redact(entry.action)))
    except ArchiveError as error:
        stores.tell("archive-failed", "", error=str(error))
    return entry
