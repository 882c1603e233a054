"""Commits, looks and accidents that the tests of the storage share."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from agentctx.memory import ids
from agentctx.memory.records import Commit, Step
from agentctx.memory.store import Store, Transaction, paths
from agentctx.memory.store.disk import Disk
from agentctx.memory.store.journal import Journal

MAIN = "refs/heads/main"


class Died(BaseException):
    """The process that was writing is no more."""


class Counting(Disk):
    """Counts the calls by which a memory writes, and does `event` at the n-th one."""

    def __init__(
        self, at: int = 0, event: Callable[[Disk, str, tuple[Any, ...]], None] | None = None
    ):
        self.count, self._at, self._event = 0, at, event

    def _tick(self, name: str, *given: Any) -> None:
        self.count += 1
        if self._event and self.count == self._at:
            self._event(self, name, given)

    def open(self, path: Path, flags: int) -> int:
        self._tick("open", path)
        return super().open(path, flags)

    def write(self, descriptor: int, data: bytes) -> int:
        self._tick("write", descriptor, data)
        return super().write(descriptor, data)

    def truncate(self, descriptor: int, size: int) -> None:
        self._tick("truncate", descriptor, size)
        super().truncate(descriptor, size)

    def sync(self, descriptor: int) -> None:
        self._tick("sync", descriptor)
        super().sync(descriptor)

    def sync_folder(self, folder: Path) -> None:
        self._tick("sync_folder", folder)
        super().sync_folder(folder)

    def replace(self, path: Path, target: Path) -> None:
        self._tick("replace", path, target)
        super().replace(path, target)

    def unlink(self, path: Path) -> None:
        self._tick("unlink", path)
        super().unlink(path)

    def through(self, call: Any, *given: Any, **named: Any) -> Any:
        self._tick("through", call, given)
        return super().through(call, *given, **named)


def put(change: Transaction, text: str, *, ref: str = MAIN, number: int = 0, id: str = "") -> str:
    """Put one record on a branch and return the hash."""
    tip = change.ref(ref)
    commit = Commit(id=id or ids.new(), branch="main", number=number)
    path = paths.commit_path(commit)
    return change.put(
        ref,
        files={path: text, "main.md": f"# Purpose\n{text}\n"},
        parents=[tip] if tip else [],
        base=tip,
        title=text,
        trailers={"Agentctx-Id": commit.id, "Agentctx-Path": path},
        at=ids.seconds(commit.id),
    )


def add(store: Store, text: str, *, ref: str = MAIN, number: int = 0, kind: str = "commit") -> str:
    """Commit one record and return the hash."""
    with store.transaction(kind, session="s") as change:
        return put(change, text, ref=ref, number=number)


def told(store: Store, branch: str = "main") -> list[str]:
    """Return the texts of a branch's records, oldest first, each read from its file."""
    tip = store.tip(branch)
    nodes = list(store.walk(tip)) if tip else []
    texts = [store.read(node.hash, node.trailers["Agentctx-Path"]) for node in nodes]
    assert texts == [node.title for node in nodes]
    return [text or "" for text in reversed(texts)]


def check(folder: Path) -> None:
    """See that git, and we ourselves, find nothing wrong with a memory."""
    with Store(folder) as store:
        assert (found := list(store.verify())) == [], found
    command = ["git", "--git-dir", str(folder / "memory.git"), "fsck", "--strict", "--no-dangling"]
    done = subprocess.run(command, capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if not line.startswith("notice: ")]
    assert (done.returncode, said) == (0, []), done.stdout


def step(text: str) -> Step:
    """Return a step with a fresh id."""
    return Step(id=ids.new(), observation=text, branch="main", session="s")


def story(folder: Path, disk: Disk) -> Iterator[tuple[str, str]]:
    """Do all that writes, and yield what has been acknowledged: what it was, and its text."""
    store, journal = Store(folder, disk=disk), Journal(folder / "journal" / "main.jsonl", disk=disk)
    try:
        for number in range(3):
            add(store, f"first {number}", number=number)
            yield "main", f"first {number}"
        journal.append(step("a step"))
        yield "step", "a step"
        with store.transaction("branch") as change:
            put(change, "first 3", number=3)
            change.move("refs/heads/other", change.tip("main"))
        yield "main", "first 3"
        store.checkpoint()
        journal.sync()
        yield "trims", ""
        assert journal.trim(journal.end())
        journal.append(step("another"))
        yield "step", "another"
        with store.transaction("merge") as change:
            tip = put(change, "second 0", number=4)
            change.move("refs/archive/other", change.tip("other"))
            change.move("refs/heads/other", None)
        yield "main", "second 0"
        assert tip
        add(store, "second 1", number=5)
        yield "main", "second 1"
        store.checkpoint()
        add(store, "third 0", number=6)
        yield "main", "third 0"
        store.checkpoint()  # by now there are packs to put together
        add(store, "third 1", number=7)
        yield "main", "third 1"
    finally:
        journal.close()
        store.close()


def kept(folder: Path, acknowledged: list[tuple[str, str]], under_way: bool = True) -> None:
    """See that a memory holds what was acknowledged, and at most one operation more."""
    with Store(folder) as store:
        texts = told(store)
        known = [text for kind, text in acknowledged if kind == "main"]
        assert texts[: len(known)] == known
        assert len(texts) <= len(known) + under_way
        if "second 0" in texts:
            assert not store.tip("other")
            assert store.archived().keys() == {"other"}
        elif "first 3" in texts:
            assert store.tip("other")
            assert not store.archived()
        operations = list(store.operations())
        assert len({one.id for one in operations}) == len(operations) == len(texts)
        add(store, "afterwards")
    journal = Journal(folder / "journal" / "main.jsonl")
    steps = [one.observation for one in journal.read()]
    trims = [place for place, one in enumerate(acknowledged) if one[0] == "trims"]
    since = acknowledged[trims[-1] if trims else 0 :]
    assert {text for kind, text in since if kind == "step"} <= {*steps}
    assert {*steps} <= {"a step", "another"}
    journal.append(step("afterwards"))
    journal.close()
