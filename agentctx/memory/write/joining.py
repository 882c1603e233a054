"""MERGE: the record that unites two branches, or the conflict that stands in its way.

Source: Git-Context-Controller, §2.2 (MERGE); what it leaves open is settled by three-way merges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from agentctx.memory import merge, texts
from agentctx.memory.plan import roadmap
from agentctx.memory.records import (
    Clash,
    Commit,
    CommitKind,
    Conflict,
    Done,
    Metadata,
    Outcome,
    Roadmap,
    Word,
)
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store.paths import (
    COMMITS,
    LOGS,
    ROADMAP,
    TRUSTED,
    WORDS,
    commit_path,
    log_path,
    metadata_path,
)
from agentctx.memory.write import room
from agentctx.memory.write.compose import Entry
from agentctx.memory.write.fold import fold

_LATEST = 50
"""Records of a branch whose findings and finished things its merge record names again…"""

_ROOM = 200_000
"""… up to so many bytes of each; the rest stays in those records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """What is merged: `theirs` into `ours`; `base` is where they parted, `closing` their last record."""

    base: Snapshot | None
    ours: Snapshot
    theirs: Snapshot
    closing: Entry

    @classmethod
    def of(cls, ours: Snapshot, theirs: Snapshot, closing: Entry) -> Sides:
        """Return two sides with the commit where they parted."""
        base = ours.store.common(ours.hash, theirs.hash)
        parted = Snapshot(ours.store, base) if base else None
        return cls(base=parted, ours=ours, theirs=theirs, closing=closing)

    @property
    def closed(self) -> Commit:
        """The last record of the merged branch."""
        return self.closing.record

    def both(self, path: str) -> str:
        """Return where a file is as each side had it."""
        return " and ".join(
            f"git show {view.hash[:12]}:{path}" for view in (self.ours, self.theirs)
        )


def join(sides: Sides, entry: Entry, policy: merge.Policy) -> Entry | Conflict:
    """Return a merge record with the files of both sides, or what they disagree about.

    `entry` is the record as our side alone would have it, with what it changes there.
    """
    mine = entry.files.get(ROADMAP)
    plan, clashes = merge.merge_roadmaps(
        sides.base.roadmap if sides.base else Roadmap(),
        sides.ours.roadmap if mine is None else roadmap.read(mine),
        sides.theirs.roadmap,
        policy,
    )
    segments, more = _segments(sides, entry, policy)
    if clashes or more:
        return Conflict(
            branch=sides.theirs.branch.name,
            into=sides.ours.branch.name,
            clashes=(*clashes, *more),
        )
    record = _record(sides, entry.record, plan)
    files = {
        **_union(sides),
        **_own(entry, record),
        **segments,
        ROADMAP: roadmap.write(
            room.plan(roadmap.ticked(plan, [one.text for one in record.done]), sides.both(ROADMAP))
        ),
        WORDS: texts.write_words(_words(sides, entry)),
        TRUSTED: "".join(f"{id}\n" for id in sorted(sides.ours.trusted | sides.theirs.trusted)),
        commit_path(record): texts.write_commit(record),
    }
    return replace(entry, record=record, files=files)


def told(view: Snapshot, outcome: Outcome) -> str:
    """Return what became of a branch, from its own records."""
    branch, progress = view.branch, fold(view.latest)
    parts = [f"Merged {branch.name} ({outcome.value}): {branch.purpose}".rstrip(": ")]
    if branch.hypothesis:
        parts.append(f"Hypothesis: {branch.hypothesis}")
    return "\n".join([*parts, *([f"Progress there:\n{progress}"] if progress else [])])


def _record(sides: Sides, record: Commit, plan: Roadmap) -> Commit:
    ours, closed = sides.ours.latest, sides.closed
    since = _since(sides)
    there = list(islice(since, _LATEST))
    earlier = sum(1 for _ in since)
    done = [one for made in there for one in reversed(made.done)]
    findings = [one for made in there for one in reversed(made.findings)]
    ticked = [item.text for item in (*plan.milestones, *plan.todo) if item.done]
    finished = {roadmap.same(text) for text in [*ticked, *(one.text for one in done)]}
    finished |= {roadmap.same(one.text) for one in record.done}
    wanted = [record.next_action, ours.next_action if ours else "", _next(there)]
    own = replace(
        record,
        kind=CommitKind.MERGE,
        origin=sides.theirs.branch.name,
        number=max(ours.number if ours else -1, closed.number) + 1,
        parents=tuple(one.id for one in (ours, closed) if one),
        next_action=next((w for w in wanted if w and roadmap.same(w) not in finished), ""),
        trust=min(one.trust for one in (record, ours, closed, *there) if one),
    )
    half = min(_ROOM, room.room(own) // 2)
    newest, found = room.gathered(done, half), room.gathered(findings, half)
    elsewhere = _elsewhere(sides, len(findings) - len(found), len(done) - len(newest), earlier)
    return replace(
        own,
        done=tuple(_distinct([*record.done, *newest])),
        findings=tuple(dict.fromkeys([*elsewhere, *record.findings, *found])),
    )


def _elsewhere(sides: Sides, findings: int, done: int, earlier: int) -> Iterator[str]:
    """Yield where that is which the merge record does not name again."""
    parts = [f"{findings} findings more"] if findings else []
    parts += [f"{done} finished things more"] if done else []
    parts += [f"what {earlier} earlier records found"] if earlier else []
    if parts:
        yield f"{' and '.join(parts)}: in the records of {sides.theirs.branch.name}"


def _next(there: Sequence[Commit]) -> str:
    return next((made.next_action for made in there if made.kind is not CommitKind.NOTE), "")


def _since(sides: Sides) -> takewhile[Commit]:
    """Return the records of the merged branch since it parted, newest first."""
    base = sides.base.latest.id if sides.base and sides.base.latest else ""
    return takewhile(lambda record: record.id != base, sides.theirs.since())


def _distinct(done: Sequence[Done]) -> list[Done]:
    return list({roadmap.same(one.text): one for one in done}.values())


def _own(entry: Entry, record: Commit) -> dict[str, str | None]:
    """Return the files of our side; the record's own lie where its new number says."""
    moved = {
        commit_path(entry.record): commit_path(record),
        log_path(entry.record): log_path(record),
    }
    return {moved.get(path, path): text for path, text in entry.files.items()}


def _segments(
    sides: Sides, entry: Entry, policy: merge.Policy
) -> tuple[dict[str, str], list[Clash]]:
    files: dict[str, str] = {}
    clashes: list[Clash] = []
    for name in sorted({*sides.ours.segments(), *sides.theirs.segments()}):
        base, mine, its = (_segment(v, name) for v in (sides.base, sides.ours, sides.theirs))
        if (changed := entry.files.get(metadata_path(name))) is not None:
            mine = texts.load(changed)
        merged, wrong = merge.merge_metadata(name, base, mine, its, policy)
        clashes += wrong
        where = sides.both(metadata_path(name))
        files[metadata_path(name)] = texts.dump(room.segment(merged, where, entry.record.id))
    return files, clashes


def _segment(view: Snapshot | None, name: str) -> Metadata:
    return view.metadata(name) if view and name in view.segments() else {}


def _words(sides: Sides, entry: Entry) -> tuple[Word, ...]:
    base = sides.base.words if sides.base else ()
    ours, theirs = entry.files.get(WORDS), sides.closing.files.get(WORDS)
    return merge.merge_words(
        base,
        sides.ours.words if ours is None else texts.read_words(ours),
        sides.theirs.words if theirs is None else texts.read_words(theirs),
    )


def _union(sides: Sides) -> Mapping[str, str | None]:
    """Return the records and log slices that only the merged branch has."""
    closing = {
        path: text
        for path, text in sides.closing.files.items()
        if path.startswith((f"{COMMITS}/", f"{LOGS}/"))
    }
    return closing | lacking(sides.ours, sides.theirs)


def lacking(ours: Snapshot, theirs: Snapshot) -> dict[str, str | None]:
    """Return the records and log slices that one state lacks and another has."""
    store, found = ours.store, dict[str, str | None]()
    for folder in (COMMITS, LOGS):
        for path in sorted({*store.files(theirs.hash, folder)} - {*store.files(ours.hash, folder)}):
            found[path] = store.read(theirs.hash, path)
    return found
