"""The laws of DESIGN §1, on generated agent histories in every wire format."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from agentctx import wire as formats
from agentctx.session import Session
from agentctx.terminal.marker import handles
from agentctx.tools import EXPAND
from tests.conftest import LONG
from tests.laws import LAWS, observations, replay, steps
from tests.strategies import WIRES, Conversation, conversations, requests

HISTORIES = 3_500 if LONG else 60  # of each wire
SHARES = 2 if LONG else 1  # of them, so that several processes can take part
STEPS = ("screen", "repeats", "echo", "budget") if LONG else ()  # a few histories may lack one

MEMORY = Path("/dev/shm")  # what is fsynced there costs nothing

laws = pytest.mark.parametrize("wire", WIRES)
drawn = given(conversations(tools=True, min_turns=1, max_turns=6))


@pytest.fixture
def data() -> Iterator[Path]:
    with TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as folder:
        yield Path(folder)


@laws
@pytest.mark.parametrize("share", range(SHARES))
def test_every_law_holds_on_every_request_of_a_history(wire: str, share: int, data: Path) -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=HISTORIES // SHARES)
    @drawn
    def histories(conversation: Conversation) -> None:
        seen["histories"] += 1
        own = replace(conversation, task=f"{conversation.task} #{seen['histories']}")
        for turn in replay(wire, own, data):
            for law in LAWS:
                law(turn)
            seen.update(steps(turn))

    histories()
    assert seen["histories"] >= HISTORIES // SHARES
    assert seen["reduced"] >= 0.1 * seen["observations"], seen
    assert all(seen[step] >= 0.01 * seen["reduced"] for step in STEPS), seen


@laws
def test_every_law_holds_with_memory(wire: str, data: Path) -> None:
    with Session("before", data=data, memory="on") as earlier:
        earlier.rewrite({"messages": [{"role": "user", "content": "Mend it, but keep the tests."}]})
        earlier.memory.commit("Half of it is mended", next_action="mend the rest")
    seen: Counter[str] = Counter()

    @settings(max_examples=300 if LONG else 8)
    @drawn
    def histories(conversation: Conversation) -> None:
        seen["histories"] += 1
        own = replace(conversation, task=f"{conversation.task} #{seen['histories']}")
        for turn in replay(wire, own, data, memory="on"):
            assert "keep the tests" in turn.block
            for law in LAWS:
                law(turn)

    histories()


@laws
@settings(max_examples=10)
@drawn
def test_what_was_sent_before_we_came_stays_raw(wire: str, conversation: Conversation) -> None:
    with TemporaryDirectory() as folder:
        session = Session(data=folder)
        last = session.offer(requests(wire, conversation)[-1], wire=wire)
        new = {slot.path for slot in formats.fresh(formats.get(wire).read(last))}
        sent = session.rewrite(last, wire=wire)
        for raw, now in zip(observations(wire, last), observations(wire, sent), strict=True):
            assert raw.path in new or raw.text == now.text


@laws
@settings(max_examples=10)
@drawn
def test_no_marker_without_a_way_to_expand(wire: str, conversation: Conversation) -> None:
    with TemporaryDirectory() as folder:
        for raw in requests(wire, conversation):
            sent = Session(data=folder).rewrite(raw, wire=wire)
            assert EXPAND.name not in formats.get(wire).tool_names(sent)
            assert not any(handles(slot.text) for slot in observations(wire, sent))
