"""The laws of DESIGN §1, on generated agent histories in every wire format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from agentctx import wire as formats
from agentctx.config import Settings
from agentctx.session import Session
from agentctx.terminal.command import Output, classify
from agentctx.terminal.evidence import evidence
from agentctx.terminal.marker import handles, is_marker
from agentctx.terminal.screen import screen
from agentctx.tokens import counter
from agentctx.tools import EXPAND
from agentctx.values import Kind, Payload, Slot
from tests.conftest import LONG
from tests.strategies import WIRES, Conversation, conversations, requests

HISTORIES = 3_500 if LONG else 25
COUNT = counter().count


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        yield Path(folder)


@dataclass(frozen=True)
class Sent:
    """A request as the host made it, and as it went out."""

    raw: Payload
    sent: Payload
    session: Session


def replay(wire: str, conversation: Conversation, data: Path, **options: Any) -> list[Sent]:
    """Send every request of a conversation, each through a session that starts anew."""
    turns = []
    for raw in requests(wire, conversation):
        session = Session(data=data, settings=Settings(observation_tokens=300), **options)
        offered = session.offer(raw, wire=wire)
        turns.append(Sent(offered, session.rewrite(offered, wire=wire), session))
        failures = [e for e in session.stores.events.recent if e.kind.endswith("failed")]
        assert not failures, failures
    return turns


def observations(wire: str, payload: Payload) -> list[Slot]:
    return [s for s in formats.get(wire).read(payload) if s.kind is Kind.OBSERVATION]


def pairs(wire: str, turn: Sent) -> list[tuple[Slot, Slot]]:
    return list(zip(observations(wire, turn.raw), observations(wire, turn.sent), strict=True))


def body(payload: Payload) -> list[str]:
    """The parts of a request that a provider's cache compares, in order."""
    messages = payload["messages"] if "messages" in payload else payload["input"]
    head = {k: v for k, v in payload.items() if k not in {"messages", "input"}}
    return [json.dumps(head), *map(json.dumps, messages)]


laws = pytest.mark.parametrize("wire", WIRES)
drawn = given(conversations(tools=True, max_turns=6))
often = settings(max_examples=HISTORIES)


@laws
@often
@drawn
def test_nothing_is_lost(wire: str, data: Path, conversation: Conversation) -> None:
    for turn in replay(wire, conversation, data):
        later = Session(data=data)
        for raw, sent in pairs(wire, turn):
            for handle in handles(sent.text) if raw.text != sent.text else ():
                name = later.stores.resolve(handle)
                redacted = later.stores.redactor.redact(raw.text)
                assert later.stores.archive.read(name) == redacted.encode()


@laws
@often
@drawn
def test_the_prefix_never_moves(wire: str, data: Path, conversation: Conversation) -> None:
    turns = replay(wire, conversation, data)
    for before, after in pairwise(turns):
        if body(after.raw)[: len(body(before.raw))] == body(before.raw):
            assert body(after.sent)[: len(body(before.sent))] == body(before.sent)


@laws
@often
@drawn
def test_a_reduction_is_never_worse(wire: str, data: Path, conversation: Conversation) -> None:
    for turn in replay(wire, conversation, data):
        for raw, sent in pairs(wire, turn):
            if raw.text != sent.text:
                before, after = COUNT(raw.text), COUNT(sent.text)
                assert before >= 150
                assert before - after >= max(80, 0.1 * before)


@laws
@often
@drawn
def test_every_line_is_verbatim_or_a_marker(
    wire: str, data: Path, conversation: Conversation
) -> None:
    for turn in replay(wire, conversation, data):
        for raw, sent in pairs(wire, turn):
            shown = iter([line.text for line in screen(raw.text)])
            for line in sent.text.split("\n") if raw.text != sent.text else ():
                assert is_marker(line) or line in shown  # in this order


@laws
@often
@drawn
def test_evidence_survives(wire: str, data: Path, conversation: Conversation) -> None:
    for turn in replay(wire, conversation, data):
        for raw, sent in pairs(wire, turn):
            command = str((raw.arguments or {}).get("command", ""))
            if classify(command, raw.tool) is Output.READ:
                continue
            lines = screen(raw.text)
            kept = {line.text for line, stays in zip(lines, evidence(lines), strict=True) if stays}
            assert kept <= set(sent.text.split("\n")) or raw.text == sent.text


@laws
@often
@drawn
def test_the_protocol_stays_valid(wire: str, data: Path, conversation: Conversation) -> None:
    module = formats.get(wire)
    for turn in replay(wire, conversation, data):
        assert module.check(turn.sent) == module.check(turn.raw)
        for raw, sent in zip(module.read(turn.raw), module.read(turn.sent), strict=True):
            assert (raw.path, raw.kind, raw.call_id) == (sent.path, sent.kind, sent.call_id)
            assert raw.kind is Kind.OBSERVATION or raw == sent
        if all(raw.text == sent.text for raw, sent in pairs(wire, turn)):
            assert turn.sent is turn.raw


@laws
@often
@drawn
def test_rewriting_twice_is_rewriting_once(
    wire: str, data: Path, conversation: Conversation
) -> None:
    for turn in replay(wire, conversation, data):
        assert turn.session.rewrite(turn.sent, wire=wire) is turn.sent


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
