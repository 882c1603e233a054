"""Laws 7, 8 and 9 of memory, over any history: fail closed, trust never rises, no model needed."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import MemoryStoreError
from agentctx.memory.gcc import export, take_in
from agentctx.memory.gcc.reading import Customs
from agentctx.memory.memory import Memory
from agentctx.memory.recall import Request
from agentctx.memory.records import Commit, Conflict
from agentctx.memory.state.handoff import Receiver, handoff
from agentctx.memory.state.render import render
from agentctx.memory.store import Store
from agentctx.session import Session
from agentctx.tokens import estimate
from agentctx.values import Observation, Trust
from tests.memory.storage import Counting

OPERATIONS = (
    "tool",
    "said",
    "commit",
    "found",
    "next",
    "branch",
    "merge",
    "abandon",
    "undo",
    "user",
)
HISTORIES = st.lists(st.sampled_from(OPERATIONS), min_size=1, max_size=14)
BRANCHES = ("main", "one", "two")


@dataclass
class Life:
    """A memory in which every word that a tool said is one of a kind."""

    memory: Memory
    number: int = 0
    fresh: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)

    def go(self, operation: str) -> None:
        """Do something; what the model writes repeats the words of the tool results it seals."""
        self.number += 1
        getattr(self, f"_{operation}")()

    def _tool(self) -> None:
        word = f"toolword{self.number}x"
        self.memory.log(observation=f"it says {word}", action="cat README")
        self.fresh.append(word)
        self.told.add(word)

    def _said(self) -> None:
        self.memory.heard(f"Please keep userword{self.number}x as it is.")

    def _user(self) -> None:
        self.memory.answered(f"modelword{self.number}x is done")

    def _commit(self) -> None:
        self._write(f"read {' '.join(self.fresh)}")

    def _found(self) -> None:
        words = " ".join(self.fresh)
        self._write("looked", findings=[f"it is {words}"], done=[f"read {words}"])

    def _next(self) -> None:
        words = " ".join(self.fresh)
        self._write("planned", next_action=f"do {words}", blockers=[f"no {words}"])

    def _write(self, text: str, **details: Any) -> None:
        self.memory.commit(text, **details)
        self.fresh.clear()

    def _branch(self) -> None:
        there = self.memory.store.branches()
        name = next((name for name in BRANCHES[1:] if name not in there), "")
        if name and not self.fresh:
            self.memory.branch(name, "try it")

    def _merge(self) -> None:
        there = self.memory.store.branches()
        other = next((name for name in there if name != self.memory.current), "")
        if other and self.memory.current in there:
            assert not isinstance(self.memory.merge(other, policy="both"), Conflict)
            self.fresh.clear()

    def _abandon(self) -> None:
        there = self.memory.store.branches()
        if len(there) > 1 and self.memory.current not in ("main", ""):
            words = " ".join(self.fresh)
            self.memory.abandon(self.memory.current, f"no good {words}")
            self.memory.switch(next(iter(self.memory.store.branches())))
            self.fresh.clear()

    def _undo(self) -> None:
        try:
            self.memory.undo()
        except MemoryStoreError:
            return
        there = self.memory.store.branches()
        if there and self.memory.current not in there:
            self.memory.switch(next(iter(there)))
        self.fresh = [
            w for s in self.memory.live() for w in s.observation.split() if w in self.told
        ]

    def records(self) -> Iterator[Commit]:
        """Yield every record of every branch."""
        for name in self.memory.store.branches():
            yield from self.memory.snapshot(name).since()


def played(folder: Path, history: list[str]) -> Life:
    life = Life(Memory(folder, session="s"))
    for operation in history:
        life.go(operation)
    return life


def texts(life: Life) -> Iterator[str]:
    """Yield all that an agent is ever told of a memory."""
    memory = life.memory
    state = memory.state()
    yield render(state, count=estimate)
    for known in ("", "nothing"):
        yield handoff(state, Receiver(known=known, window=None), 600, count=estimate).text
    for level in ("status", "branch", "commit", "log", "search"):
        for record in [*life.records()][:6] if level in ("commit", "log") else [None]:
            asked = {"commit": record.id} if record else {}
            asked |= {"query": "toolword it read"} if level == "search" else {}
            try:
                yield memory.context(Request(level=level, k=9, **asked)).text
            except MemoryStoreError:
                continue


def bare(line: str, words: set[str]) -> bool:
    """Tell whether a line says a tool's word as if it was anybody else's."""
    return any(w in line for w in words) and not (
        line.startswith("> ") or "“" in line or "`" in line
    )


@given(history=HISTORIES)
def test_what_a_tool_said_is_quoted_wherever_it_is_told(history: list[str]) -> None:
    with TemporaryDirectory() as folder:
        life = played(Path(folder), history)
        lines = [line for text in texts(life) for line in text.split("\n")]
        assert [line for line in lines if bare(line, life.told)] == []


@given(history=HISTORIES)
def test_no_record_is_trusted_more_than_what_it_rests_on(history: list[str]) -> None:
    with TemporaryDirectory() as folder:
        life = played(Path(folder), history)
        for record in life.records():
            text = " ".join([record.contribution, record.next_action, *record.findings])
            if any(word in text for word in life.told):
                assert record.trust <= Trust.TOOL, record
        out, other = Path(folder) / "out", Memory(Path(folder) / "other", session="s")
        if life.memory.store.branches():
            export(life.memory, out)
            take_in(other, out, Customs(safe=str, own=False, now=0.0))
            for name in other.store.branches():
                for record in other.snapshot(name).since():
                    assert record.trust <= Trust.TOOL, record


@given(history=HISTORIES)
def test_no_operation_needs_a_model_or_a_network(history: list[str]) -> None:
    with TemporaryDirectory() as folder, offline():
        life = played(Path(folder), history)
        assert all(isinstance(text, str) for text in texts(life))


@contextmanager
def offline() -> Iterator[None]:
    """Let no socket be opened."""
    kept = socket.socket

    def refuse(*given: object, **named: object) -> None:
        raise AssertionError("memory reached for the network")

    socket.socket = refuse  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        socket.socket = kept  # type: ignore[misc]


def failing(at: int) -> Counting:
    def refuse(disk: object, name: str, given: object) -> None:
        raise OSError(28, "No space left on device")

    return Counting(at, refuse)


WRITES: dict[str, Callable[[Session], object]] = {
    "observe": lambda s: s.observe(Observation(output="ok", command="make"), call_id="c"),
    "answered": lambda s: s.answered("All done."),
    "close": lambda s: s.close(),
    "commit": lambda s: s.memory.commit("here"),
}


@pytest.mark.parametrize("write", WRITES)
@given(at=st.integers(1, 12), before=st.lists(st.sampled_from(["log", "commit"]), max_size=4))
def test_a_write_that_fails_is_an_error_and_loses_nothing(
    write: str, at: int, before: list[str]
) -> None:
    with TemporaryDirectory() as folder:
        session = Session("run", data=folder, memory="on")
        memory, known = session.memory, set[str]()
        for name in before:
            if name == "log":
                known.add(memory.log(observation="x", action="make").id)
            else:
                known.add(memory.commit("before").id)
        disk = failing(at)
        vars(memory)["store"] = Store(memory.folder, disk=disk)
        vars(memory).pop("_changes", None)
        try:
            WRITES[write](session)
        except MemoryStoreError:
            assert disk.count >= at
        else:
            assert disk.count < at or write != "commit"
        with Memory(Path(folder)) as again:
            branches = again.store.branches()
            records = {r.id for name in branches for r in again.snapshot(name).since()}
            steps = {s.id for s in again.live()}
            sealed = {
                s.id
                for name in branches
                for r in again.snapshot(name).since()
                for s in again.snapshot(name).steps(r)
            }
            assert known <= records | steps | sealed
