"""A memory as the paper's layout: every branch with its own records and steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from agentctx.memory import ids, names
from agentctx.memory.gcc import fields, paper
from agentctx.memory.gcc.fields import Described
from agentctx.memory.gcc.folder import COMMITS, LOG, MAIN, METADATA, Folder, Texts
from agentctx.memory.gcc.paper import Entry
from agentctx.memory.plan import roadmap
from agentctx.memory.records import Commit, CommitKind, Step
from agentctx.memory.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One branch to export: its newest state, its own records oldest first, and open steps."""

    view: Snapshot
    records: Sequence[Commit]
    live: Sequence[Step] = ()


def exported(views: Mapping[str, Snapshot], live: Callable[[str], Sequence[Step]]) -> Folder:
    """Return the folder that holds these branches.

    Args:
        views: every branch by name, those that are archived too.
        live: returns the steps of a branch that no record has sealed.
    """
    owned = dict(_owned(views))
    lines = {
        name: Line(view=view, records=owned.get(name, ()), live=live(name))
        for name, view in views.items()
    }
    main = roadmap.write(views[names.MAIN].roadmap if names.MAIN in views else roadmap.read(""))
    return Folder(main=main, branches={name: _texts(name, lines, main) for name in sorted(lines)})


def _owned(views: Mapping[str, Snapshot]) -> Iterator[tuple[str, list[Commit]]]:
    """Yield each branch with the records that were made on it, and those whose branch is gone."""
    seen = set[str]()
    found = {name: _own(view, seen) for name, view in views.items()}
    for name, view in views.items():
        lost = [one for one in view.since() if one.id not in seen]
        seen.update(one.id for one in lost)
        yield name, [*reversed(lost), *reversed(found[name])]


def _own(view: Snapshot, seen: set[str]) -> list[Commit]:
    made = takewhile(lambda one: one.branch == view.branch.name, view.since())
    found = [one for one in made if one.id not in seen]
    seen.update(one.id for one in found)
    return found


def _texts(name: str, lines: Mapping[str, Line], main: str) -> Texts:
    line = lines[name]
    files = {
        COMMITS: paper.write_commits(name, map(_commit, line.records)),
        LOG: paper.write_log(name, _log(line, lines)),
        METADATA: _metadata(line),
    }
    own = roadmap.write(line.view.roadmap)
    return Texts(files=files if own == main else {**files, MAIN: own})


def _metadata(line: Line) -> str:
    view = line.view
    first, last = (line.records[0], line.records[-1]) if line.records else (None, None)
    found = Described(
        branch=view.branch,
        at=ids.seconds(first.id) if first else None,
        segments={name: view.metadata(name) for name in view.segments()},
        words=view.words,
    )
    return fields.write_metadata(found, ids.seconds(last.id) if last else None)


def _commit(commit: Commit) -> Entry:
    blocks = (commit.purpose, commit.previous, commit.contribution)
    return Entry(
        name=commit.id,
        at=fields.moment(ids.seconds(commit.id)),
        fields=dict(zip(paper.COMMIT_FIELDS, blocks, strict=True)),
        extra=fields.commit_extra(commit),
    )


def _log(line: Line, lines: Mapping[str, Line]) -> Iterator[Entry]:
    """Yield the steps of a branch; after a merge those of the other branch, with their origin."""
    number = 0
    for commit in line.records:
        for step in line.view.steps(commit):
            number += 1
            gone = "" if step.branch in (line.view.branch.name, *lines) else step.branch
            yield _step(step, number, commit.id, gone)
        merged = lines.get(commit.origin) if commit.kind is CommitKind.MERGE else None
        if merged and commit.origin != commit.branch:
            yield from _merged(merged, commit.origin)
    for number_, step in enumerate(line.live, number + 1):
        yield _step(step, number_, "")


def _merged(line: Line, origin: str) -> Iterator[Entry]:
    steps = ((step, commit.id) for commit in line.records for step in line.view.steps(commit))
    for number, (step, commit) in enumerate(steps, 1):
        yield _step(step, number, commit, origin)


def _step(step: Step, number: int, commit: str, origin: str = "") -> Entry:
    blocks = (step.observation, step.thought, step.action)
    return Entry(
        name=str(number),
        at=fields.moment(ids.seconds(step.id)),
        fields=dict(zip(paper.STEP_FIELDS, blocks, strict=True)),
        extra=fields.step_extra(step, commit),
        origin=origin,
    )
