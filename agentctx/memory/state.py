"""The execution state: what people lose at a compaction, rebuilt from records and journal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from agentctx.memory.constraints import standing
from agentctx.memory.records import Commit, CommitKind, Done, Roadmap, Step, StepKind, Word
from agentctx.memory.roadmap import same
from agentctx.memory.words import fold
from agentctx.values import Trust

_QUOTED = re.compile(r"(?:re-?)?(?:run|execute|call)(?: the)?(?: command)? `([^`]+)`\.?", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """A text of a record, and how far it can be trusted."""

    text: str
    record: str = ""
    branch: str = ""
    trust: Trust = Trust.MODEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven(Done):
    """Something finished, with its evidence and the record that says so."""

    record: str = ""
    branch: str = ""
    trust: Trust = Trust.MODEL


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionState:
    """Where the work stands.

    Attributes:
        words: the user's messages that still count, verbatim, in order.
        constraints: the lines of theirs that hold beyond the moment, verbatim.
        done: what is finished, newest first.
        ran: commands with an exit status since the last record, newest first, each once.
        in_flight: calls whose result has not come.
        next_action: the recorded one, a call in flight, or the first open to-do; "" for none.
        next_trust: where `next_action` came from.
        overtaken: whether the user has said something since `next_action` was recorded.
        open_items: to-dos that no record has finished.
        findings: what branches and sub-agents established, newest first.
        latest: the title of the newest record.
    """

    words: tuple[Word, ...] = ()
    constraints: tuple[str, ...] = ()
    done: tuple[Proven, ...] = ()
    ran: tuple[Step, ...] = ()
    in_flight: tuple[Step, ...] = ()
    next_action: str = ""
    next_trust: Trust = Trust.MODEL
    overtaken: bool = False
    blockers: tuple[Noted, ...] = ()
    open_items: tuple[str, ...] = ()
    findings: tuple[Noted, ...] = ()
    latest: Noted | None = None

    @property
    def open_words(self) -> tuple[Word, ...]:
        """The messages that nobody has answered."""
        return tuple(word for word in self.words if not word.answered)


def derive(
    *,
    words: Sequence[Word] = (),
    records: Sequence[Commit] = (),
    roadmap: Roadmap | None = None,
    live: Sequence[Step] = (),
) -> ExecutionState:
    """Return where the work stands.

    Args:
        words: the user's words at the newest record.
        records: a bounded window of records, newest first.
        roadmap: its ticked items count as done, even those of records beyond the window.
        live: the steps of the journal since the newest record, in order.
    """
    plan = roadmap or Roadmap()
    heard = _heard(words, records, live)
    clean = [record for record in records if not record.quarantined]
    finished = _finished(records, plan)
    items = tuple(_open(plan, finished))
    state = ExecutionState(
        words=heard,
        constraints=tuple(dict.fromkeys(line for word in heard for line in standing(word.text))),
        done=_done(clean, plan),
        ran=_ran(live),
        in_flight=_in_flight(live),
        blockers=_blockers(clean, finished),
        open_items=items,
        findings=tuple(_once(_findings(clean))),
        latest=next((_noted(one, one.title) for one in clean if one.title), None),
    )
    return _with_next(state, clean, finished, live)


def _heard(
    words: Sequence[Word], records: Sequence[Commit], live: Sequence[Step]
) -> tuple[Word, ...]:
    """Return all words; those before a record that ended the request are answered."""
    ended = max((record.id for record in records if record.finished), default="")
    heard = fold(words, live)
    return tuple(replace(word, answered=word.answered or word.id < ended) for word in heard)


def _finished(records: Iterable[Commit], plan: Roadmap) -> set[str]:
    """Return the keys of everything finished; quarantined records count, though none shows them."""
    ticked = (item.text for item in (*plan.todo, *plan.milestones) if item.done)
    said = (done.text for record in records for done in record.done)
    return {same(text) for text in (*ticked, *said)}


def _open(plan: Roadmap, finished: set[str]) -> Iterator[str]:
    seen = set(finished)
    for item in plan.todo:
        if not item.done and (key := same(item.text)) not in seen:
            seen.add(key)
            yield item.text


def _done(records: Sequence[Commit], plan: Roadmap) -> tuple[Proven, ...]:
    found: dict[str, Proven] = {}
    for record in records:
        for one in record.done:
            found.setdefault(same(one.text), _proven(record, one))
    for item in reversed((*plan.milestones, *plan.todo)):
        if item.done:
            found.setdefault(same(item.text), Proven(text=item.text))
    return tuple(found.values())


def _proven(record: Commit, done: Done) -> Proven:
    return Proven(
        text=done.text,
        command=done.command,
        exit_code=done.exit_code,
        commit=done.commit or record.code,
        record=record.id,
        branch=record.origin or record.branch,
        trust=record.trust,
    )


def _noted(record: Commit, text: str) -> Noted:
    branch = record.origin or record.branch
    return Noted(text=text, record=record.id, branch=branch, trust=record.trust)


def _findings(records: Iterable[Commit]) -> Iterator[Noted]:
    for record in records:
        lesson = (record.contribution,) if record.kind is CommitKind.ABANDON else ()
        yield from (_noted(record, text) for text in record.findings or lesson if text.strip())


def _once(notes: Iterable[Noted]) -> Iterator[Noted]:
    seen: set[str] = set()
    for note in notes:
        if (key := same(note.text)) not in seen:
            seen.add(key)
            yield note


def _blockers(records: Iterable[Commit], finished: set[str]) -> tuple[Noted, ...]:
    """Return the blockers of the newest record that is about the work itself."""
    kinds = (CommitKind.COMMIT, CommitKind.MERGE)
    newest = next((record for record in records if record.kind in kinds), None)
    if newest is None or newest.finished:
        return ()
    return tuple(_noted(newest, text) for text in newest.blockers if same(text) not in finished)


def _ran(live: Sequence[Step]) -> tuple[Step, ...]:
    found: dict[str, Step] = {}
    for step in reversed(live):
        if step.kind is StepKind.STEP and step.exit_code is not None and step.action:
            found.setdefault(step.action, step)
    return tuple(found.values())


def _in_flight(live: Sequence[Step]) -> tuple[Step, ...]:
    """Return the calls without a result; the assistant's last word on a request ends them."""
    waiting: dict[str, Step] = {}
    for step in live:
        key = step.call_id or step.action
        if step.kind is StepKind.CALL:
            waiting[key] = step
        elif step.kind is StepKind.STEP:
            waiting.pop(key, None)
        elif step.kind is StepKind.ANSWER:
            waiting.clear()
    return tuple(waiting.values())


def _with_next(
    state: ExecutionState, records: Sequence[Commit], finished: set[str], live: Sequence[Step]
) -> ExecutionState:
    """Return the state with its next action.

    A call that the user interrupted is still in flight, but what the user said comes first.
    """
    told = max((step.id for step in live if step.kind is StepKind.USER), default="")
    call = next((step for step in reversed(state.in_flight) if step.id > told), None)
    if call is not None:
        return replace(state, next_action=call.action)
    record = _recorded(records)
    if record is not None and not _over(record, finished, live):
        since = _since(record, records)
        overtaken = any(word.id > since for word in state.open_words)
        return replace(
            state, next_action=record.next_action, next_trust=record.trust, overtaken=overtaken
        )
    first = state.open_items[0] if state.open_items else ""
    return replace(state, next_action=first, overtaken=bool(first and told and state.open_words))


def _since(record: Commit, records: Iterable[Commit]) -> str:
    """Return the id of the record that first named this next action; later ones only repeat it."""
    older = (one for one in records if one.id <= record.id)
    same_one = takewhile(lambda one: one.next_action == record.next_action, older)
    return min((one.id for one in same_one), default=record.id)


def _recorded(records: Iterable[Commit]) -> Commit | None:
    """Return the newest record that names a next action; none from before a finished request."""
    for record in records:
        if record.next_action.strip():
            return record
        if record.finished:
            return None
    return None


def _over(record: Commit, finished: set[str], live: Iterable[Step]) -> bool:
    """Tell whether the next action of a record has been taken since."""
    if (wanted := same(record.next_action)) in finished:
        return True
    named = _QUOTED.fullmatch(record.next_action.strip())
    names = {wanted, same(named[1]) if named else wanted}
    ran = (step for step in live if step.kind is StepKind.STEP and not step.exit_code)
    return any(same(step.action) in names for step in ran)
