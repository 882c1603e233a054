"""Puts branches that came from a folder into a memory, record by record in the order of their ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from agentctx.memory import ids, merge, texts
from agentctx.memory.gcc.reading import Line, Sealed
from agentctx.memory.merge.metadata import merge_metadata
from agentctx.memory.merge.policies import policy
from agentctx.memory.merge.roadmaps import merge_roadmaps
from agentctx.memory.plan import roadmap
from agentctx.memory.records import Branch, Commit, CommitKind, Outcome, Roadmap
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store import Store, paths
from agentctx.memory.store.nodes import reached
from agentctx.memory.store.transaction import Transaction
from agentctx.memory.write.compose import Entry
from agentctx.memory.write.joining import lacking
from agentctx.memory.write.writer import put

_OURS = policy("ours")


class Intake:
    """One import, within one transaction."""

    def __init__(self, store: Store, change: Transaction) -> None:
        """Add to what the store holds."""
        self._store, self._change = store, change
        self._open = dict(store.branches())
        self._tips = {**store.archived(), **self._open}
        self._before = frozenset(self._tips)
        nodes = reached(self._tips.values(), store.node)
        self._hashes = {node.id: node.hash for node in nodes}
        self.records = self.steps = 0

    def add(self, lines: Sequence[Line]) -> None:
        """Add the branches; each ends as its folder does."""
        new = [_new(line, self._hashes) for line in lines]
        for line, number in _in_order(new):
            last = number == len(line.records) - 1
            self._put(line, line.records[number], last=last)
            if last and line.closed and line.name not in self._open:
                self._change.move(f"{paths.ARCHIVE}{line.name}", self._tips[line.name])
                self._change.move(f"{paths.HEADS}{line.name}", None)
        for line, left in zip(lines, new, strict=True):
            if not left.records and line.name in self._open:
                self._note(line)

    def _put(self, line: Line, sealed: Sealed, *, last: bool) -> None:
        base = self._tips.get(line.name) or self._parent(line, sealed.record)
        view = Snapshot(self._store, base) if base else None
        other = self._other(line, sealed.record)
        record = _placed(sealed, view, other)
        files = {
            **(lacking(view, other) if view and other else {}),
            **({} if view else {paths.ROADMAP: roadmap.write(Roadmap())}),
            **(dict(_ended(line, view, own=line.name in self._before)) if last else {}),
            **self._described(line, view, last=last),
            paths.commit_path(record): texts.write_commit(record),
        }
        if sealed.steps:
            files[paths.log_path(record)] = texts.write_steps(sealed.steps)
        self._write(line, record, files, [one for one in (view, other) if one])
        self.steps += len(sealed.steps)

    def _note(self, line: Line) -> None:
        """Revise a branch whose records are all there already, if its folder says more."""
        view = Snapshot(self._store, self._tips[line.name])
        latest = view.latest
        files = dict(_ended(line, view, own=True))
        if not files or latest is None:
            return
        record = Commit(
            id=ids.new(after=latest.id),
            kind=CommitKind.NOTE,
            branch=latest.branch,
            purpose=latest.purpose,
            previous=latest.previous,
            contribution="Imported what a folder says of the roadmap and metadata",
            next_action=latest.next_action,
            blockers=latest.blockers,
            trust=line.records[-1].record.trust,
            number=latest.number + 1,
            parents=(latest.id,),
        )
        files[paths.commit_path(record)] = texts.write_commit(record)
        self._write(line, record, files, [view])

    def _described(self, line: Line, view: Snapshot | None, *, last: bool) -> dict[str, str | None]:
        """Return `branch.yaml` where a branch begins and where it ends."""
        begun, given = line.name in self._tips, line.found.branch
        known = view.branch if view and begun else _start(given, view)
        if begun and not last:
            return {}
        ended = replace(
            known, outcome=given.outcome, lesson=given.lesson, merged_into=given.merged_into
        )
        return {paths.BRANCH: texts.write_branch(ended if last else known)}

    def _parent(self, line: Line, record: Commit) -> str | None:
        """Return the commit that a branch begins at: its parent's, as it names it or as it was."""
        branch = line.found.branch
        if branch.created_from in self._hashes:
            return self._hashes[branch.created_from]
        tip = self._tips.get(branch.parent) if branch.parent != line.name else None
        if tip is None:
            return None
        before = (one for one in self._store.walk(tip) if one.id < record.id)
        return next((one.hash for one in before), tip)

    def _other(self, line: Line, record: Commit) -> Snapshot | None:
        """Return the branch that a record merged, if it is there."""
        tip = self._tips.get(record.origin) if record.origin != line.name else None
        return Snapshot(self._store, tip) if tip else None

    def _write(
        self,
        line: Line,
        record: Commit,
        files: Mapping[str, str | None],
        parents: Sequence[Snapshot],
    ) -> None:
        entry = Entry(record=record, files=files)
        hash = put(self._change, f"{paths.HEADS}{line.name}", entry, *parents)
        self._tips[line.name] = self._hashes[record.id] = hash
        self.records += 1


def _new(line: Line, known: Mapping[str, str]) -> Line:
    return replace(line, records=tuple(o for o in line.records if o.record.id not in known))


def _in_order(lines: Sequence[Line]) -> Iterator[tuple[Line, int]]:
    """Yield each record's branch and place: by id, but never before those of its branch."""
    keys = []
    for place, line in enumerate(lines):
        last = ""
        for number, sealed in enumerate(line.records):
            last = max(last, sealed.record.id)
            keys.append((last, place, number))
    return ((lines[place], number) for _, place, number in sorted(keys))


def _placed(sealed: Sealed, view: Snapshot | None, other: Snapshot | None) -> Commit:
    """Return a record with its place after those before it."""
    before = [one.latest for one in (view, other) if one and one.latest]
    return replace(
        sealed.record,
        number=max((one.number for one in before), default=-1) + 1,
        parents=tuple(one.id for one in before),
        steps=len(sealed.steps),
    )


def _ended(line: Line, view: Snapshot | None, *, own: bool) -> Iterator[tuple[str, str | None]]:
    """Yield the files that end a branch as its folder says.

    What is `own`, since it was there before, gains what it lacks and keeps what it has.
    """
    plan = (
        merge_roadmaps(Roadmap(), view.roadmap, line.plan, _OURS)[0] if view and own else line.plan
    )
    if view is None or plan != view.roadmap:
        yield paths.ROADMAP, roadmap.write(plan)
    yield from _segments(line, view, own=own)
    words = line.found.words
    if view and own:
        words = merge.merge_words((), view.words, words)
    if words != (view.words if view else ()):
        yield paths.WORDS, texts.write_words(words)


def _start(given: Branch, view: Snapshot | None) -> Branch:
    """Return a branch as it was when it began at `view`."""
    first = view.latest.id if view and view.latest else ""
    return replace(
        given,
        created_from=given.created_from or first,
        outcome=Outcome.OPEN,
        lesson="",
        merged_into="",
    )


def _segments(line: Line, view: Snapshot | None, *, own: bool) -> Iterator[tuple[str, str | None]]:
    there = {name: view.metadata(name) for name in view.segments()} if view else {}
    for name, given in line.found.segments.items():
        known = there.get(name, {})
        merged = merge_metadata(name, {}, known, given, _OURS)[0] if own else given
        if name not in there or merged != known:
            yield paths.metadata_path(name), texts.dump(merged)
    if not own:
        yield from (
            (paths.metadata_path(name), None) for name in there.keys() - line.found.segments
        )
