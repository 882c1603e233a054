"""What records say of the work: what is done and how one knows, what is open, what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agentctx.memory.plan.roadmap import same
from agentctx.memory.records import Commit, CommitKind, Done, Roadmap
from agentctx.values import Trust


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


def finished_keys(records: Iterable[Commit], plan: Roadmap) -> set[str]:
    """Return the keys of everything finished; quarantined records count, though none shows them."""
    ticked = (item.text for item in (*plan.todo, *plan.milestones) if item.done)
    said = (done.text for record in records for done in record.done)
    return {same(text) for text in (*ticked, *said)}


def open_items(plan: Roadmap, finished: set[str]) -> Iterator[str]:
    """Yield the to-dos that nothing has finished, each once."""
    seen = set(finished)
    for item in plan.todo:
        if not item.done and (key := same(item.text)) not in seen:
            seen.add(key)
            yield item.text


def done(records: Sequence[Commit], plan: Roadmap) -> tuple[Proven, ...]:
    """Return what is finished with its newest evidence; last what only the roadmap knows of."""
    found: dict[str, Proven] = {}
    for record in records:
        for one in record.done:
            found.setdefault(same(one.text), _proven(record, one))
    for item in reversed((*plan.milestones, *plan.todo)):
        if item.done:
            found.setdefault(same(item.text), Proven(text=item.text, trust=Trust.TOOL))
    return tuple(found.values())


def noted(record: Commit, text: str) -> Noted:
    """Return a text of a record with where it comes from."""
    branch = record.origin or record.branch
    return Noted(text=text, record=record.id, branch=branch, trust=record.trust)


def findings(records: Iterable[Commit]) -> tuple[Noted, ...]:
    """Return what was established, each once; of an abandoned branch that is its lesson."""
    found: dict[str, Noted] = {}
    for record in records:
        lesson = (record.contribution,) if record.kind is CommitKind.ABANDON else ()
        for text in record.findings or lesson:
            if text.strip():
                found.setdefault(same(text), noted(record, text))
    return tuple(found.values())


def blockers(records: Iterable[Commit], finished: set[str]) -> tuple[Noted, ...]:
    """Return the blockers of the newest record that is about the work itself."""
    kinds = (CommitKind.COMMIT, CommitKind.MERGE)
    newest = next((record for record in records if record.kind in kinds), None)
    if newest is None or newest.finished:
        return ()
    return tuple(noted(newest, text) for text in newest.blockers if same(text) not in finished)


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
