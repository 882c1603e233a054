"""The execution state: what people lose at a compaction, rebuilt from records and journal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from agentctx.memory.hygiene import suspicious
from agentctx.memory.plan.roadmap import same
from agentctx.memory.records import Commit, Roadmap, Step, StepKind, Word
from agentctx.memory.state import progress
from agentctx.memory.state.constraints import standing
from agentctx.memory.state.progress import Noted, Proven
from agentctx.memory.state.words import fold
from agentctx.values import Trust

_QUOTED = re.compile(r"(?:re-?)?(?:run|execute|call)(?: the)?(?: command)? `([^`]+)`\.?", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionState:
    """Where the work stands.

    Attributes:
        words: the user's messages that still count, verbatim, in order.
        constraints: the lines of theirs that hold beyond the moment, verbatim.
        done: what is finished, newest first.
        ran: commands with an exit status since the last record, newest first, each once.
        in_flight: calls whose result has not come.
        next_action: a call in flight, the recorded one, or the first open to-do; "" for none.
        afterwards: what comes after a call in flight.
        next_trust: how far what was planned is trusted: `next_action`, or `afterwards` behind a call.
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
    afterwards: str = ""
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
    finished = progress.finished_keys(records, plan)
    state = ExecutionState(
        words=heard,
        constraints=tuple(dict.fromkeys(line for word in heard for line in standing(word.text))),
        done=progress.done(clean, plan),
        ran=_ran(live),
        in_flight=_in_flight(live),
        blockers=progress.blockers(clean, finished),
        open_items=tuple(progress.open_items(plan, finished)),
        findings=progress.findings(clean),
        latest=next((progress.noted(one, one.title) for one in clean if one.title), None),
    )
    return _with_next(state, records, finished, live)


def _heard(
    words: Sequence[Word], records: Sequence[Commit], live: Sequence[Step]
) -> tuple[Word, ...]:
    """Return all words; those before a record that ended the request are answered."""
    ended = max((record.id for record in records if record.finished), default="")
    heard = fold(words, live)
    return tuple(replace(word, answered=word.answered or word.id < ended) for word in heard)


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
    planned = _planned(state, records, finished, live)
    told = max((step.id for step in live if step.kind is StepKind.USER), default="")
    call = next((step for step in reversed(state.in_flight) if step.id > told), None)
    if call is None:
        return planned
    return replace(planned, next_action=call.action, afterwards=planned.next_action)


def _planned(
    state: ExecutionState, records: Sequence[Commit], finished: set[str], live: Sequence[Step]
) -> ExecutionState:
    record = _recorded(records)
    if record is None or _over(record, finished, live):
        following = next((item for item in state.open_items if not suspicious(item)), "")
        since = records[0].id if records else ""
        trust = (
            Trust.TOOL if following else Trust.MODEL
        )  # the roadmap does not say what it rests on
    else:
        following, trust, since = record.next_action, record.trust, _since(record, records)
    overtaken = bool(following) and any(word.id > since for word in state.open_words)
    return replace(state, next_action=following, next_trust=trust, overtaken=overtaken)


def _since(record: Commit, records: Iterable[Commit]) -> str:
    """Return the id of the record that first named this next action; later ones only repeat it."""
    older = (one for one in records if one.id <= record.id)
    same_one = takewhile(lambda one: one.next_action == record.next_action, older)
    return min((one.id for one in same_one), default=record.id)


def _recorded(records: Iterable[Commit]) -> Commit | None:
    """Return the newest record if it names a next action: each takes over that of the one before."""
    for record in records:
        if not record.quarantined:
            return record if record.next_action.strip() else None
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
