from __future__ import annotations

import json
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentctx import wire
from agentctx.session import Session
from agentctx.testing import Reply, ScriptedModel, Thinking
from agentctx.testing.speak import chat, chat_events, message, message_events
from agentctx.testing.speak_responses import response, response_events
from agentctx.values import Payload, ToolCall, Usage
from agentctx.wrap import anthropic, openai_chat, openai_responses, wrap
from tests.wrap.hosts import ANTHROPIC_TOOLS, CHAT_TOOLS, RESPONSES_TOOLS

WIRES = {
    "anthropic": (anthropic, message, message_events, ANTHROPIC_TOOLS),
    "openai_chat": (openai_chat, chat, chat_events, CHAT_TOOLS),
    "openai_responses": (openai_responses, response, response_events, RESPONSES_TOOLS),
}
LOG = "\n".join(f"step {n}: compiling module_{n}.c into build/{n * 7919:x}.o" for n in range(400))

OUTPUTS = {
    "short": "ok",
    "log": LOG,
    "other": LOG.replace("module", "file"),
    "repeats": "error: no such file\n" * 200,
}
calls = st.builds(
    ToolCall,
    id=st.uuids().map(str),
    name=st.sampled_from(["bash", "bash", "expand"]),
    arguments=st.fixed_dictionaries({"handle": st.sampled_from(["ffffff", "zz", ""])}),
)
texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(str.strip)
said = texts | calls
steps = said.map(lambda part: (part,)) | st.tuples(st.builds(Thinking, texts), said)
"""A model thinks before it speaks or calls, if it thinks at all."""
parts = st.lists(steps, min_size=1, max_size=4).map(lambda made: sum(made, ()))
scripts = st.lists(st.builds(Reply, parts=parts), min_size=1, max_size=6)


class Loop:
    """An agent loop over a wrapped function that speaks one wire, with what it was asked."""

    def __init__(self, name: str, script: list[Reply], data: Path, *, stream: bool) -> None:
        self.dialect, self.whole, self.events, self.tools = WIRES[name]
        self.name, self.stream = name, stream
        self.script = ScriptedModel(*script)
        self.payloads: list[Payload] = []
        self.model = wrap(self.answer, session=Session(data=data), wire=name)
        self.history: list[Any] = [{"role": "user", "content": "begin"}]

    def answer(self, **payload: Any) -> Any:
        self.payloads.append(json.loads(json.dumps(payload)))
        reply = self.script.answer(payload)
        assert isinstance(reply, Reply)
        number = f"{len(self.payloads):04d}"
        if not self.stream:
            return self.whole(reply, Usage(input=10, output=1), number, payload)
        return (data for _, data in self.events(reply, Usage(), number, payload))

    def turn(self, output: str) -> None:
        payload = {self.dialect.KEY: self.history, "tools": self.tools, "stream": self.stream}
        reply = self.model(**payload)
        if self.stream:
            reader = self.dialect.weaver(frozenset())
            for event in reply:
                reader.feed(event)
            said = reader.spoken()
        else:
            said = self.dialect.spoken(reply)
        assert "expand" not in {call.name for call in said.calls}
        answers = self.dialect.results([(call, output) for call in said.calls])
        self.history = [*self.history, *said.items, *answers]
        if not answers:
            self.history.append({"role": "user", "content": "go on"})


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", WIRES)
@settings(max_examples=settings().max_examples // 5, suppress_health_check=list(HealthCheck))
@given(script=scripts, results=st.lists(st.sampled_from(list(OUTPUTS)), min_size=8, max_size=8))
def test_requests_stay_valid_and_their_prefix_never_moves(name, stream, script, results):
    with tempfile.TemporaryDirectory() as folder:
        loop = Loop(name, [*script, *[Reply(parts=("end",))] * 12], Path(folder), stream=stream)
        for output in results:
            if len(loop.script.payloads) < len(script):
                loop.turn(OUTPUTS[output])
        histories = [payload[loop.dialect.KEY] for payload in loop.payloads]
        for payload in loop.payloads:
            assert wire.get(name).check(payload) == []
        for one, other in pairwise(histories):
            assert other[: len(one)] == one
            assert len(other) > len(one)
