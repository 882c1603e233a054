"""Laws 7, 8 and 9 of memory, over any history: fail closed, trust never rises, no model needed."""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentctx import wire
from agentctx.errors import MemoryStoreError
from agentctx.memory.gcc import export, take_in
from agentctx.memory.gcc.reading import Customs
from agentctx.memory.memory import Memory
from agentctx.memory.records import Commit, Step, StepKind
from agentctx.session import Session
from agentctx.values import Observation, Trust
from tests.memory.dying import room
from tests.memory.lives import HISTORIES, Life, records, steps, told, unquoted, views, words
from tests.memory.storage import Counting
from tests.memory.test_crash import refusing
from tests.test_session import call, request, result, send

SEEN = request(call("c1", "cat a.py"), result("c1", "itsresult"), task="thetask")
REPLY = wire.get("openai_chat").read({"messages": [call("c2", "inflight")]})
WRITES: dict[str, tuple[Callable[[Session], object], list[str]]] = {
    "rewrite": (lambda s: send(s, SEEN), ["thetask", "cat a.py", "itsresult"]),
    "observe": (lambda s: s.observe(Observation(output="seenword", command="ls")), ["seenword"]),
    "answered": (lambda s: s.answered("lastword"), ["lastword"]),
    "replied": (lambda s: s.replied(REPLY), ["inflight"]),
    "close": (lambda s: s.close(), ["until the session ended"]),
    "fork": (lambda s: s.fork("other", "subpurpose"), ["subpurpose"]),
    "commit": (lambda s: s.memory.commit("committed"), ["committed"]),
    "branch": (lambda s: s.memory.branch("new", "newpurpose"), ["newpurpose"]),
    "merge": (lambda s: s.memory.merge("side", summary="mergeword"), ["mergeword"]),
    "abandon": (lambda s: s.memory.abandon("side", "itslesson"), ["itslesson"]),
    "trust": (lambda s: s.memory.trust(s.memory.snapshot().records()[0].id), ["Trusted record"]),
}
"""What writes, and the words that another process finds in memory once it has returned."""

LIVED = st.lists(st.sampled_from(["step", "user", "commit"]), max_size=3)
REFUSALS = st.builds(
    refusing,
    st.sampled_from([errno.EIO, errno.ENOSPC, errno.EMFILE]),
    for_good=st.booleans(),
)
ID = re.compile(r"\b[0-9a-hjkmnp-tv-z]{16}\b")


@pytest.mark.parametrize("write", WRITES)
@settings(max_examples=settings().max_examples // 4)
@given(mode=st.sampled_from(["on", "log"]), before=LIVED, at=st.integers(1, 40), refuse=REFUSALS)
def test_a_write_is_in_memory_or_it_is_an_error(
    write: str, mode: str, before: list[str], at: int, refuse: Callable[..., None]
) -> None:
    act, expected = WRITES[write]
    with room() as folder, offline():
        session, failed = Session("run", data=folder, memory=mode), False
        known = {one.id for one in begun(session.memory, before)}
        session.memory.close()
        disk = session.memory.disk = Counting(at, refuse)
        try:
            act(session)
        except MemoryStoreError:
            failed = True
        written = holds(folder, expected, known)
        assert written or failed
        assert not failed or disk.count >= at
        if not written:  # there is room again
            disk._event = None
            act(session)
            assert holds(folder, expected, known)


@given(history=HISTORIES)
def test_what_a_tool_said_is_quoted_wherever_it_is_told(history: list[str]) -> None:
    with room() as folder:
        life = Life(folder).live(history)
        bare = [unquoted(text) for text in (*life.answers, *told(life.memory))]
        assert [text for text in bare if "toolword" in text] == []


@given(history=HISTORIES)
def test_what_a_tool_said_is_labelled_wherever_it_is_kept(history: list[str]) -> None:
    with room() as folder:
        life, known = Life(folder), dict[str, Trust]()
        for operation in history:
            life.live([operation])
            found = records(life.memory)
            labelled(life.memory)
            assert all(made.trust <= known.get(id, made.trust) for id, made in found.items())
            known |= {id: made.trust for id, made in found.items()}


@settings(max_examples=settings().max_examples // 2)
@given(history=HISTORIES)
def test_an_export_carries_the_labels_and_what_is_foreign_is_a_tools(history: list[str]) -> None:
    with room() as folder:
        life = Life(folder).live([*history, "commit contribution"])
        export(life.memory, folder / "out")
        own, foreign = Memory(folder / "own"), Memory(folder / "foreign")
        take_in(own, folder / "out", Customs(safe=str, own=True, now=2e9))
        take_in(foreign, folder / "out", Customs(safe=str, own=False, now=2e9))
        labelled(own)
        assert [text for text in map(unquoted, told(own)) if "toolword" in text] == []
        kept: list[Commit | Step] = [*records(foreign).values(), *steps(foreign)]
        assert [one for one in kept if one.trust > Trust.TOOL] == []
        assert [text for text in map(unquoted, told(foreign)) if words(text)] == []


@settings(max_examples=settings().max_examples // 2)
@given(history=HISTORIES)
def test_whatever_is_done_needs_no_model_and_no_network(history: list[str]) -> None:
    with room() as folder, offline():
        alone, without = Life(folder / "alone"), Life(folder / "without", summarise=unreachable)
        for life in (alone, without):
            life.live([*history, "commit contribution"])
        assert outline(alone.memory) == outline(without.memory)
        assert all(isinstance(text, str) for text in told(alone.memory))


def begun(memory: Memory, before: list[str]) -> Iterator[Commit | Step]:
    """Yield what is done first: there is a record, another branch, and something to commit."""
    yield memory.commit("first")
    memory.branch("side", "beside", switch=False)
    for name in (*before, "step"):
        if name == "commit":
            yield memory.commit("before")
        else:
            yield memory.log(observation=name, action="make", kind=StepKind(name))


def holds(folder: Path, expected: list[str], known: set[str]) -> bool:
    """Tell whether another process finds some words; all that was known before it has to find."""
    with Memory(folder) as memory:
        found: list[Commit | Step] = [*records(memory).values(), *steps(memory)]
    assert known <= {one.id for one in found}
    return all(word in repr(found) for word in expected)


def labelled(memory: Memory) -> None:
    """See that whatever holds a tool's word is trusted as a tool, and is no word of the user's."""
    for step in steps(memory):
        assert "toolword" not in repr(step) or step.trust <= Trust.TOOL, step
    for made in records(memory).values():
        said = repr((made.contribution, made.next_action, made.findings, made.blockers, made.done))
        assert "toolword" not in said or made.trust <= Trust.TOOL, made
    for view in views(memory):
        assert [word for word in view.words if "userword" not in word.text] == []


def outline(memory: Memory) -> list[str]:
    """Return what the records of a memory say, whatever their ids are."""
    return [
        ID.sub("ID", repr((m.previous, m.contribution, m.trust))) for m in records(memory).values()
    ]


def unreachable(previous: Commit, steps: Sequence[Step]) -> str:
    raise ConnectionError("no model answers")


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
