"""The laws of DESIGN §1 as checks of one request: as the host made it, and as it went out."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from agentctx import wire as formats
from agentctx.config import Settings
from agentctx.notes.recollection import part
from agentctx.session import Session
from agentctx.terminal.command import Output, classify
from agentctx.terminal.evidence import evidence
from agentctx.terminal.marker import handles, is_marker
from agentctx.terminal.screen import screen
from agentctx.tokens import counter
from agentctx.values import Kind, Payload, Slot
from tests.strategies import Conversation, requests

COUNT = counter().count
_REMINDER = re.compile(r"\n\[agentctx: \d+ steps since the last commit · context_commit\]\Z")
_REASON = re.compile(r"(?:hidden \(|; )(?:\d+ )?(middle|progress|repeat|same as|shown)\b")
_STEPS = {"middle": "budget", "repeat": "repeats", "same as": "repeats", "shown": "echo"}


@dataclass(frozen=True)
class Sent:
    """A request of a conversation, and the one before it."""

    wire: str
    raw: Payload
    sent: Payload
    session: Session
    data: Path
    before: Sent | None
    block: str = ""

    @cached_property
    def pairs(self) -> list[tuple[Slot, Slot]]:
        """Every observation, as it came and as it went out."""
        came, went = observations(self.wire, self.raw), observations(self.wire, self.sent)
        return list(zip(came, went, strict=True))

    @cached_property
    def fresh(self) -> list[tuple[Slot, Slot]]:
        """The pairs that did not stand like this in the request before."""
        known = self.before.pairs if self.before else []
        return [pair for pair in self.pairs if pair not in known]

    @cached_property
    def reduced(self) -> list[tuple[Slot, Slot]]:
        """The fresh ones that the model does not see as they came, reminders aside."""
        return [
            (raw, sent)
            for raw, sent in self.fresh
            if sent.text != raw.text and unreminded(sent.text) != raw.text.removesuffix("\n")
        ]

    def body(self, payload: Payload) -> list[str]:
        """The parts of a request that a provider's cache compares, in order."""
        messages = payload["messages"] if "messages" in payload else payload["input"]
        head = {k: v for k, v in payload.items() if k not in {"messages", "input"}}
        return [json.dumps(head), *map(json.dumps, messages)]


def unreminded(text: str) -> str:
    """Return a result without the line that reminds of memory at its end."""
    return _REMINDER.sub("", text)


def observations(wire: str, payload: Payload) -> list[Slot]:
    """Return the observations of a request."""
    return [s for s in formats.get(wire).read(payload) if s.kind is Kind.OBSERVATION]


def replay(wire: str, conversation: Conversation, data: Path, **options: Any) -> Iterator[Sent]:
    """Send every request of a conversation, each through a session that starts anew."""
    before = None
    for raw in requests(wire, conversation):
        session = Session(data=data, settings=Settings(observation_tokens=300), **options)
        offered = session.offer(raw, wire=wire)
        sent = session.rewrite(offered, wire=wire)
        _, block = part(formats.get(wire).read(sent))
        failures = [e for e in session.stores.events.recent if e.kind.endswith("failed")]
        assert not failures, failures
        before = Sent(wire, offered, sent, session, data, before, block)
        yield before


def nothing_is_lost(turn: Sent) -> None:
    """Law 1: a later session gets every original back, byte for byte."""
    later = Session(data=turn.data)
    for raw, sent in turn.reduced:
        shown = unreminded(sent.text)
        assert handles(shown) or not any(map(is_marker, shown.split("\n")))
        for handle in handles(sent.text):
            redacted = later.stores.redactor.redact(raw.text)
            name = later.stores.resolve(handle)
            assert later.stores.archive.read(name) == redacted.encode("utf-8", "surrogatepass")


def the_prefix_never_moves(turn: Sent) -> None:
    """Law 2: a request that extends the one before it goes out as an extension of it."""
    before = turn.before
    if before is None:
        return
    raw, sent = turn.body(before.raw), turn.body(before.sent)
    if turn.body(turn.raw)[: len(raw)] == raw:
        assert turn.body(turn.sent)[: len(sent)] == sent


def a_reduction_is_never_worse(turn: Sent) -> None:
    """Law 3: it saves 80 tokens and a tenth, and short outputs are left alone."""
    for raw, sent in turn.reduced:
        before, after = COUNT(raw.text), COUNT(unreminded(sent.text))
        assert before >= 150
        assert before - after >= max(80, 0.1 * before)


def every_line_is_verbatim_or_a_marker(turn: Sent) -> None:
    """Law 4: what is shown stands in the original, in the same order."""
    for raw, sent in turn.reduced:
        shown = iter([line.text for line in screen(raw.text)])
        for line in sent.text.split("\n"):
            assert is_marker(line) or line in shown


def evidence_survives(turn: Sent) -> None:
    """Law 5: lines that tell of errors and results are kept."""
    for raw, sent in turn.reduced:
        command = str((raw.arguments or {}).get("command", ""))
        if classify(command, raw.tool) is Output.READ:
            continue
        lines = screen(raw.text)
        kept = {line.text for line, stays in zip(lines, evidence(lines), strict=True) if stays}
        assert kept <= set(sent.text.split("\n"))


def the_protocol_stays_valid(turn: Sent) -> None:
    """Law 6: only texts of observations change; when none does, the caller's own object goes out.

    What is told of memory stands behind what the user says at the beginning, and nowhere else.
    """
    module = formats.get(turn.wire)
    assert module.check(turn.sent) == module.check(turn.raw)
    slots, _ = part(module.read(turn.sent))
    for raw, sent in zip(module.read(turn.raw), slots, strict=True):
        assert (raw.path, raw.kind, raw.call_id) == (sent.path, sent.kind, sent.call_id)
        assert raw.kind is Kind.OBSERVATION or raw == sent
    if not turn.block and all(raw.text == sent.text for raw, sent in turn.pairs):
        assert turn.sent is turn.raw


def rewriting_twice_is_rewriting_once(turn: Sent) -> None:
    """A request that went out is at rest."""
    assert turn.session.rewrite(turn.sent, wire=turn.wire) is turn.sent


LAWS: tuple[Callable[[Sent], None], ...] = (
    nothing_is_lost,
    the_prefix_never_moves,
    a_reduction_is_never_worse,
    every_line_is_verbatim_or_a_marker,
    evidence_survives,
    the_protocol_stays_valid,
    rewriting_twice_is_rewriting_once,
)


def steps(turn: Sent) -> Counter[str]:
    """Count the fresh observations, the reduced ones, and those that each step has hidden lines of."""
    found = Counter(observations=len(turn.fresh), reduced=len(turn.reduced))
    for _, sent in turn.reduced:
        marked = filter(is_marker, sent.text.split("\n"))
        words = {word for line in marked for word in _REASON.findall(line)}
        found.update({_STEPS.get(word, word) for word in words} or {"screen"})
    return found
