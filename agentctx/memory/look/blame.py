"""Blame: which record, and which of its steps, a line of a memory comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from agentctx.errors import UnknownMemory
from agentctx.memory import texts
from agentctx.memory.plan import roadmap
from agentctx.memory.records import Commit, Done, Step
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store import Store, paths
from agentctx.memory.store.nodes import reached

_RECORDS = 200
"""How many records are looked through for a text."""

_STEPS = 3
_ALIKE = 0.33
_WORD = re.compile(r"\w{4,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where one line comes from.

    Attributes:
        place: "main.md", "metadata/<segment>", or "record".
        line: what stands there.
        record: the one that brought it.
        hash: its git commit.
        steps: those of its steps that speak of the line, the likeliest first.
        evidence: what the record gives as proof that it is done.
    """

    place: str
    line: str
    record: Commit
    hash: str
    steps: tuple[Step, ...] = ()
    evidence: tuple[Done, ...] = ()


def blame(view: Snapshot, query: str) -> tuple[Origin, ...]:
    """Return where the lines come from that hold a text, or where a record does.

    Args:
        view: the branch as it is now.
        query: a part of a line of `main.md`, of a metadata value or of a record; or a record's id.

    Raises:
        UnknownMemory: nothing here holds it.
    """
    wanted = " ".join(query.casefold().split())
    found = [*_lines(view, wanted), *_records(view, query, wanted)] if wanted else []
    if not found:
        raise UnknownMemory(
            f"nothing on {view.branch.name!r} holds {query[:60]!r}: see agentctx memory context"
        )
    return tuple(found)


def flat(value: Any, path: str = "") -> Iterator[str]:
    """Yield a metadata segment line by line: `key.key: value`."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from flat(one, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from flat(one, f"{path}[{number}]")
    else:
        yield f"{path}: {value}"


def trace(store: Store, hash: str, there: Callable[[str], bool]) -> str:
    """Return the oldest commit from which something has been there ever since, up to `hash`."""
    while True:
        parents = store.node(hash).parents
        before = next((parent for parent in parents if there(parent)), None)
        if before is None:
            return hash
        hash = before


def _lines(view: Snapshot, wanted: str) -> Iterator[Origin]:
    main = roadmap.write(view.roadmap)
    files = [(paths.ROADMAP, _roadmap_lines)]
    files += [(paths.metadata_path(name), _metadata_lines) for name in view.segments()]
    for path, read in files:
        text = main if path == paths.ROADMAP else view.store.read(view.hash, path) or ""
        for line in dict.fromkeys(read(text)):
            if wanted in " ".join(line.casefold().split()):
                yield _origin(view, path, line, read)


def _origin(view: Snapshot, path: str, line: str, read: Callable[[str], Sequence[str]]) -> Origin:
    known: dict[str, bool] = {}

    def there(hash: str) -> bool:
        text = view.store.read(hash, path) or ""
        if text not in known:  # most commits leave a file as it is
            known[text] = line in read(text)
        return known[text]

    hash = trace(view.store, view.hash, there)
    place = path.removesuffix(".yaml")
    return _with_steps(Snapshot(view.store, hash), place, line.strip(), None)


def _records(view: Snapshot, query: str, wanted: str) -> Iterator[Origin]:
    try:
        record = view.record(query.strip())
    except UnknownMemory:
        record = None
    if record is not None:
        yield _with_steps(view, "record", record.title, record)
        return
    for record in islice(view.since(), _RECORDS):
        line = next(
            (one for one in _said(record) if wanted in " ".join(one.casefold().split())), ""
        )
        if line:
            yield _with_steps(view, "record", line.strip(), record)


def _said(record: Commit) -> Iterator[str]:
    yield from record.contribution.split("\n")
    yield from record.findings
    yield from record.blockers
    yield from (one.text for one in record.done)
    yield record.next_action


def _with_steps(view: Snapshot, place: str, line: str, record: Commit | None) -> Origin:
    made = record or view.latest
    if made is None:
        raise UnknownMemory(f"{view.hash[:12]} holds no record: run agentctx memory verify")
    words = {*_WORD.findall(line.casefold())}
    nodes = reached([view.hash], view.store.node)
    hashes = (node.hash for node in nodes if node.id == made.id)
    key = roadmap.same(re.sub(r"^- \[[ xX]\] ", "", line))
    return Origin(
        place=place,
        line=line,
        record=made,
        hash=view.hash if record is None else next(hashes, ""),
        steps=_likely(view.steps(made), words, made),
        evidence=tuple(one for one in made.done if roadmap.same(one.text) == key),
    )


def _likely(steps: Sequence[Step], words: set[str], record: Commit) -> tuple[Step, ...]:
    """Return the steps that speak of a line, or else those that its record names as sources."""
    scored = [(_share(step, words), step) for step in steps]
    alike = sorted((one for one in scored if one[0] >= _ALIKE), key=lambda one: -one[0])
    if alike:
        return tuple(step for _, step in alike[:_STEPS])
    named = {*record.sources}
    return tuple(step for step in steps if {step.id, step.original} & named)[:_STEPS]


def _share(step: Step, words: set[str]) -> float:
    said = {*_WORD.findall(f"{step.observation} {step.thought} {step.action}".casefold())}
    return len(said & words) / len(words) if words else 0.0


def _roadmap_lines(text: str) -> list[str]:
    lines = roadmap.write(roadmap.read(text)).split("\n")
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _metadata_lines(text: str) -> list[str]:
    return list(flat(texts.load(text))) if text else []
