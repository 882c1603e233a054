"""A memory as a folder in the paper's layout, there and back; Contexa's folders come in, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentctx.memory.gcc import folder as gcc_folder
from agentctx.memory.gcc.intake import Intake
from agentctx.memory.gcc.reading import Customs, imported
from agentctx.memory.gcc.writing import exported
from agentctx.memory.memory import Memory
from agentctx.memory.snapshot import Snapshot
from agentctx.memory.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """What went in or out; `renamed` maps folders to the branches that they became."""

    branches: int = 0
    records: int = 0
    steps: int = 0
    renamed: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()


def export(memory: Memory, root: Path) -> Exchanged:
    """Write all branches, archived ones too, into the new folder `root`.

    Raises:
        MemoryStoreError: it is not empty, or the disk refuses.
    """
    views = {name: Snapshot(memory.store, tip) for name, tip in _tips(memory.store)}
    open_ = memory.store.branches()
    folder = exported(views, lambda name: memory.live(name) if name in open_ else ())
    gcc_folder.write(root, folder)
    records = [one for view in views.values() for one in view.since()]
    unique = {record.id: record for record in records}
    steps = sum(record.steps for record in unique.values())
    return Exchanged(branches=len(views), records=len(unique), steps=steps)


def take_in(memory: Memory, root: Path, customs: Customs) -> Exchanged:
    """Add what a folder holds to a memory: all of it, or nothing.

    Records that are there already stay as they are; new ones of a branch that is there follow its
    newest one, and its roadmap and metadata gain what they lack.

    Raises:
        MemoryStoreError: the folder cannot be read, or holds what may not come in.
    """
    folder = gcc_folder.read(root)
    lines = imported(folder, customs)
    with memory.store.transaction("import", session=memory.author.session) as change:
        intake = Intake(memory.store, change)
        intake.add(lines)
    return Exchanged(
        branches=len(lines),
        records=intake.records,
        steps=intake.steps,
        renamed={texts.named: name for name, texts in folder.branches.items() if texts.named},
        ignored=folder.ignored,
    )


def _tips(store: Store) -> Iterator[tuple[str, str]]:
    """Yield every branch; an archived one gets a number where an open one has its name."""
    taken = {**store.branches()}
    yield from taken.items()
    for name, tip in store.archived().items():
        free = name
        number = 2
        while free in taken:
            free, number = f"{name}.{number}", number + 1
        taken[free] = tip
        yield free, tip
