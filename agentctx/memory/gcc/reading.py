"""A folder in the paper's layout as branches, records and steps of ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agentctx.memory import ids, texts
from agentctx.memory.gcc import fields, naming, paper
from agentctx.memory.gcc.fields import Described, Safe
from agentctx.memory.gcc.folder import COMMITS, LOG, MAIN, METADATA, Folder, Texts
from agentctx.memory.gcc.naming import Namer
from agentctx.memory.hygiene import suspicious
from agentctx.memory.plan import roadmap
from agentctx.memory.records import Commit, CommitKind, Outcome, Roadmap, Step, StepKind
from agentctx.values import Trust

_MERGING = re.compile(r"Merging branch `([^`\n]+)` with purpose")
_LARGEST = 1 << 19


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A record and the steps of its log slice."""

    record: Commit
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One branch to import: what it is, its records oldest first, and how its files end."""

    name: str
    found: Described
    plan: Roadmap
    records: tuple[Sealed, ...]

    @property
    def closed(self) -> bool:
        """Whether it was merged or abandoned."""
        return self.found.branch.outcome is not Outcome.OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Customs:
    """What everything passes on its way in.

    Attributes:
        safe: takes secrets, controls and what could pose as ours out of a text.
        own: whether it is the user's own export, whose labels are believed.
        now: seconds since 1970; nothing that is imported is later.
    """

    safe: Safe
    own: bool
    now: float

    @property
    def cap(self) -> Trust:
        """The most that anything is trusted."""
        return Trust.USER if self.own else Trust.TOOL


def imported(folder: Folder, customs: Customs) -> tuple[Line, ...]:
    """Return the branches that a folder holds.

    Raises:
        MemoryCorrupt: a `metadata.yaml` cannot be read.
        MemoryNameError: a metadata segment may not be called so.
    """
    namer, branches = Namer(customs.now), folder.branches.items()
    return tuple(_line(name, found, folder, customs, namer) for name, found in branches)


def _line(name: str, given: Texts, folder: Folder, customs: Customs, namer: Namer) -> Line:
    found = _described(name, given.files.get(METADATA, ""), customs)
    main = given.files.get(MAIN, folder.main)
    records = list(_records(read_commits(given), found, customs, namer))
    steps = list(_steps(read_log(given, name, folder), found, customs, namer))
    return Line(
        name=name,
        found=found,
        plan=roadmap.read(customs.safe(main)),
        records=tuple(_sealed(records, steps, found, customs)),
    )


def read_commits(given: Texts) -> Sequence[paper.Entry]:
    """Return the entries of a branch's `commit.md`."""
    return paper.read_commits(given.files.get(COMMITS, ""))


def read_log(given: Texts, name: str, folder: Folder) -> Sequence[paper.Entry]:
    """Return the entries of a branch's `log.md`; what another branch here holds is left to it."""
    found = paper.read_log(given.files.get(LOG, ""), name)
    return [one for one in found if one.origin not in folder.branches]


def _described(name: str, text: str, customs: Customs) -> Described:
    found = fields.read_metadata(text, _base(name, text), customs.safe)
    return found if customs.own else replace(found, words=())


def _base(name: str, text: str) -> str:
    """Return what a branch is called; a second one of that name lies in a folder with a number."""
    short, _, number = name.rpartition(".")
    return short if number.isdecimal() and f"name: {short}\n" in text else name


def _records(
    entries: Iterable[paper.Entry], found: Described, customs: Customs, namer: Namer
) -> Iterator[Commit]:
    last = ""
    for entry in entries:
        blocks = [customs.safe(entry.fields.get(name, "")) for name in paper.COMMIT_FIELDS]
        at = ids.seconds(last) if last else found.at or 0.0
        seed = [found.branch.name, *blocks]
        last = namer.name(entry, entry.name, seed, at=at, after=last)
        made = Commit(
            id=last,
            branch=found.branch.name,
            purpose=blocks[0] or found.branch.purpose,
            previous=blocks[1],
            contribution=blocks[2],
            **fields.commit_fields(entry.extra, customs.safe),
        )
        yield _labelled(_told(made), customs)


def _told(made: Commit) -> Commit:
    """Return a record as a merge where its text says that it is one, and only with an origin."""
    merging = _MERGING.match(made.previous)
    origin = fields.branch_name(merging[1] if merging else made.origin)
    merge = bool(origin) and (bool(merging) or made.kind is CommitKind.MERGE)
    plain = CommitKind.COMMIT if made.kind is CommitKind.MERGE else made.kind
    return replace(made, kind=CommitKind.MERGE if merge else plain, origin=origin if merge else "")


def _labelled(made: Commit, customs: Customs) -> Commit:
    trust = min(made.trust, customs.cap)
    noted = [*made.findings, made.next_action, *made.blockers, *(one.text for one in made.done)]
    said = "\n".join([made.contribution, *noted])
    held = made.quarantined or (trust <= Trust.TOOL and suspicious(said))
    return replace(made, trust=trust, quarantined=held)


def _steps(
    entries: Iterable[paper.Entry], found: Described, customs: Customs, namer: Namer
) -> Iterator[tuple[Step, str]]:
    """Yield the steps of a branch, each with the id of the record that sealed it, if it says so."""
    at = found.at or 0.0
    for entry in entries:
        blocks = [customs.safe(entry.fields.get(name, "")) for name in paper.STEP_FIELDS]
        origin = fields.branch_name(entry.origin) or found.branch.name
        id = namer.name(entry, entry.extra.get("id"), [origin, *blocks], at=at)
        at = ids.seconds(id)
        made = Step(
            id=id,
            observation=blocks[0],
            thought=blocks[1],
            action=blocks[2],
            branch=origin,
            **fields.step_fields(entry.extra, customs.safe),
        )
        yield _demoted(made, customs), str(entry.extra.get("commit", ""))


def _demoted(step: Step, customs: Customs) -> Step:
    kind = step.kind if customs.own or step.kind is not StepKind.USER else StepKind.STEP
    most = Trust.USER if customs.own else Trust.UNTRUSTED  # thought and action are foreign as well
    return replace(step, trust=min(step.trust, most), kind=kind)


def _sealed(
    records: Sequence[Commit],
    steps: Sequence[tuple[Step, str]],
    found: Described,
    customs: Customs,
) -> Iterator[Sealed]:
    slices, loose = _slices(records, steps)
    last = ""
    for record in records or [_first(found, customs)]:
        first, *more = [*_chunks(slices.get(record.id, ()))] or [()]
        yield Sealed(record=record, steps=first)
        last = record.id
        for chunk in more:
            note = _note(last, chunk, found, customs)
            last = note.id
            yield Sealed(record=note, steps=chunk)
    for chunk in _chunks(loose):
        note = _note(last, chunk, found, customs)
        last = note.id
        yield Sealed(record=note, steps=chunk)


def _chunks(steps: Sequence[Step]) -> Iterator[tuple[Step, ...]]:
    """Yield log slices that one file may hold."""
    chunk, size = list[Step](), 0
    for step in steps:
        length = len(texts.write_steps([step]).encode())
        if chunk and size + length > _LARGEST:
            yield tuple(chunk)
            chunk, size = [], 0
        chunk.append(step)
        size += length
    if chunk:
        yield tuple(chunk)


def _slices(
    records: Sequence[Commit], steps: Sequence[tuple[Step, str]]
) -> tuple[Mapping[str, list[Step]], list[Step]]:
    """Return the steps of each record: as they say, else those before its moment; and the rest."""
    slices: dict[str, list[Step]] = {record.id: [] for record in records}
    waiting, loose = [record.id for record in records], list[Step]()
    for step, stated in steps:
        while waiting and ids.seconds(waiting[0]) < ids.seconds(step.id):
            waiting.pop(0)
        place = stated if stated in slices else next(iter(waiting), "")
        slices.get(place, loose).append(step)
    return slices, loose


def _first(found: Described, customs: Customs) -> Commit:
    """Return the record that begins a branch which has none."""
    branch = found.branch
    said = f"Branch {branch.name}: {branch.purpose}".rstrip(": ")
    return Commit(
        id=ids.derived(min(found.at or 0.0, customs.now), f"{branch.name}\0{said}"),
        kind=CommitKind.BRANCH,
        branch=branch.name,
        purpose=branch.purpose,
        contribution=said,
        trust=min(Trust.MODEL, customs.cap),
    )


def _note(after: str, steps: Sequence[Step], found: Described, customs: Customs) -> Commit:
    """Return the record that seals steps which no other one can."""
    last, branch = steps[-1].id, found.branch
    return Commit(
        id=naming.following(max(after, last), f"{branch.name}\0{last}"),
        kind=CommitKind.NOTE,
        branch=branch.name,
        purpose=branch.purpose,
        contribution=f"Imported {len(steps)} steps that no record had sealed",
        trust=min(Trust.TOOL, customs.cap),
    )
