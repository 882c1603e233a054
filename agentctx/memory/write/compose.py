"""One record and the files that it changes, composed of what stood before and what is to be said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentctx.memory import ids, texts
from agentctx.memory.hygiene import suspicious
from agentctx.memory.plan import roadmap
from agentctx.memory.records import Branch, Commit, CommitKind, Metadata, Step, StepKind
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.state import words
from agentctx.memory.store.paths import (
    BRANCH,
    ROADMAP,
    WORDS,
    commit_path,
    log_path,
    metadata_path,
)
from agentctx.memory.write.draft import Draft
from agentctx.memory.write.fold import fold
from agentctx.values import Trust

_SOURCES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who writes: the session, the agent, and how far their own words are trusted."""

    session: str = ""
    agent: str = ""
    trust: Trust = Trust.MODEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A record, the files that change with it (None: goes away), and further trailers."""

    record: Commit
    files: Mapping[str, str | None]
    trailers: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_trailers(self) -> dict[str, str]:
        """What the git commit says of the record."""
        return {
            "Agentctx-Id": self.record.id,
            "Agentctx-Path": commit_path(self.record),
            "Agentctx-Kind": self.record.kind.value,
            **({"Agentctx-Session": self.record.session} if self.record.session else {}),
            **self.trailers,
        }


def compose(
    draft: Draft,
    *,
    kind: CommitKind,
    branch: Branch,
    view: Snapshot | None,
    steps: Sequence[Step] = (),
    author: Author,
    now: float,
    summary: str | None = None,
) -> Entry:
    """Return the record that a draft makes after what `view` shows, and the files it changes.

    Args:
        draft: what is to be said.
        kind: the operation.
        branch: the branch as it is to be from now on.
        view: the branch before; None where nothing was.
        steps: the log slice to seal.
        author: who writes.
        now: seconds since 1970.
        summary: the Previous Progress Summary, when a summariser wrote one.
    """
    latest = view.latest if view else None
    if draft.purpose is not None and not branch.parent:  # that of the first branch is the project's
        branch = replace(branch, purpose=draft.purpose)
    following, blockers = _next(draft, latest), _blockers(draft, latest)
    trust = min(
        [author.trust, draft.trust, *(step.trust for step in steps if step.kind is StepKind.STEP)]
    )
    if latest and ((following and draft.next_action is None) or blockers == latest.blockers != ()):
        trust = min(trust, latest.trust)  # what is taken over is trusted no more than it was
    record = Commit(
        id=ids.new(now, latest.id if latest else ""),
        kind=kind,
        branch=branch.name,
        purpose=purpose(branch),
        previous=fold(latest) if summary is None else summary,
        contribution=draft.contribution,
        number=latest.number + 1 if latest else 0,
        parents=(latest.id,) if latest else (),
        done=draft.done,
        next_action=following,
        blockers=blockers,
        findings=draft.findings,
        session=author.session,
        agent=author.agent,
        sources=draft.sources or _sources(steps),
        code=draft.code,
        steps=len(steps),
        finished=draft.finished,
        trust=trust,
        quarantined=trust <= Trust.TOOL and suspicious(_said(draft)),
    )
    files = {commit_path(record): texts.write_commit(record)}
    if steps:
        files[log_path(record)] = texts.write_steps(steps)
    return Entry(record=record, files=files | _revised(draft, branch, view, steps))


def purpose(branch: Branch) -> str:
    """Return the first block of a branch's records."""
    hypothesis = f"Hypothesis: {branch.hypothesis}" if branch.hypothesis else ""
    return "\n".join(part for part in (branch.purpose, hypothesis) if part)


def _sources(steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the ids of the newest steps that a record seals: what it rests on unless it says more."""
    return tuple(step.id for step in steps if step.kind is StepKind.STEP)[-_SOURCES:]


def _next(draft: Draft, latest: Commit | None) -> str:
    """Return the next action: the given one, or the last one unless it is done by now."""
    if draft.next_action is not None or latest is None or draft.finished:
        return draft.next_action or ""
    done = {roadmap.same(one.text) for one in draft.done}
    return "" if roadmap.same(latest.next_action) in done else latest.next_action


def _blockers(draft: Draft, latest: Commit | None) -> tuple[str, ...]:
    if draft.blockers is not None or latest is None or draft.finished:
        return draft.blockers or ()
    return latest.blockers


def _said(draft: Draft) -> str:
    plain = [draft.contribution, *draft.findings, draft.next_action, *(draft.blockers or ())]
    planned = [draft.purpose, *draft.milestones, *draft.todo, *(one.text for one in draft.done)]
    further = [*draft.sections.values(), *(texts.dump(one) for one in draft.metadata.values())]
    return "\n".join(text for text in [*plain, *planned, *further] if text)


def _revised(
    draft: Draft, branch: Branch, view: Snapshot | None, steps: Sequence[Step]
) -> dict[str, str]:
    files: dict[str, str] = {}
    if view is None or view.branch != branch:
        files[BRANCH] = texts.write_branch(branch)
    if draft.revises or view is None:
        files[ROADMAP] = _roadmap(draft, view)
    for name, changes in draft.metadata.items():
        files[metadata_path(name)] = texts.dump(_segment(view, name, changes))
    before = view.words if view else ()
    ends = draft.finished and not branch.parent  # a branch does not end what the user asked for
    after = words.fold(before, steps, finished=ends)
    if after != before:
        files[WORDS] = texts.write_words(after)
    return files


def _roadmap(draft: Draft, view: Snapshot | None) -> str:
    revised = roadmap.revised(
        view.roadmap if view else roadmap.read(""),
        purpose=draft.purpose,
        milestones=draft.milestones,
        todo=draft.todo,
        sections=dict(draft.sections),
    )
    return roadmap.write(roadmap.ticked(revised, [one.text for one in draft.done]))


def _segment(view: Snapshot | None, name: str, changes: Metadata) -> Metadata:
    known = view.metadata(name) if view and name in view.segments() else {}
    return {key: value for key, value in {**known, **changes}.items() if value is not None}
