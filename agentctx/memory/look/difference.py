"""What differs between two states of a memory: roadmap, metadata, and the records that came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import ndiff

from agentctx.memory import texts
from agentctx.memory.look.blame import flat
from agentctx.memory.plan import roadmap
from agentctx.memory.records import Commit
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store.nodes import reached


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Lines that begin with "+ " or "- ", and records.

    Attributes:
        roadmap: lines of `main.md`.
        metadata: lines `key.key: value` by segment.
        records: those that only the second state has, newest first.
        gone: those that only the first one has.
    """

    roadmap: tuple[str, ...] = ()
    metadata: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    records: tuple[Commit, ...] = ()
    gone: tuple[Commit, ...] = ()


def difference(one: Snapshot, other: Snapshot) -> Difference:
    """Return what differs between two states."""
    segments = sorted({*one.segments(), *other.segments()})
    lines = {name: _changes(_segment(one, name), _segment(other, name)) for name in segments}
    return Difference(
        roadmap=_changes(_roadmap(one), _roadmap(other)),
        metadata={name: changed for name, changed in lines.items() if changed},
        records=tuple(_only(other, one)),
        gone=tuple(_only(one, other)),
    )


def _changes(before: list[str], after: list[str]) -> tuple[str, ...]:
    return tuple(line for line in ndiff(before, after) if line.startswith(("+ ", "- ")))


def _roadmap(view: Snapshot) -> list[str]:
    return [line for line in roadmap.write(view.roadmap).split("\n") if line.strip()]


def _segment(view: Snapshot, name: str) -> list[str]:
    text = view.store.read(view.hash, f"metadata/{name}.yaml")
    return list(flat(texts.load(text))) if text else []


def _only(view: Snapshot, other: Snapshot) -> Iterator[Commit]:
    """Yield the records that one state has and the other has not, newest first."""
    known = {node.hash for node in reached([other.hash], other.store.node)}
    for node in reached([view.hash], view.store.node):
        if node.hash not in known and (record := view.record_of(node)) is not None:
            yield record
