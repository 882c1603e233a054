from __future__ import annotations

import json

import pytest

from agentctx.errors import ConfigError
from agentctx.memory.memory import Memory
from agentctx.memory.records import StepKind
from agentctx.session import Session
from agentctx.testing import ScriptedModel, call
from agentctx.wrap import wrap
from tests.wrap.hosts import (
    Anthropic,
    AnthropicStream,
    Chat,
    ChatStream,
    Responses,
    ResponsesStream,
    check_requests,
    each,
    serving,
)

hosts = each([Chat, ChatStream, Responses, ResponsesStream, Anthropic, AnthropicStream])

TURNS = (
    call("bash", command="make"),
    [call("context_commit", summary="It builds", next_action="write the docs")],
    call("bash", command="make docs"),
    "All is done.",
)


@hosts
def test_calls_of_memorys_tools_are_answered_inside(kind, tmp_path):
    session = Session("run", data=tmp_path, memory="on")
    with serving(kind, tmp_path, *TURNS, session=session) as host:
        host.user("Build it, and never touch the tests")
        for output in ("built", "written"):
            [(call_id, name, _)] = host.ask().calls
            assert name == "bash"
            host.result((call_id, output))
        seen = host.ask()
        assert (seen.text, seen.calls) == ("All is done.", [])
        session.close()
        check_requests(host)
        assert "It builds" in json.dumps(host.upstream.requests[2].body)
    with Memory(tmp_path) as memory:
        records = memory.snapshot().records(k=10)
        assert [record.contribution for record in records][-1] == "It builds"
        steps = [s for record in reversed(records) for s in memory.snapshot().steps(record)]
        assert [(s.kind, s.action or s.observation or s.thought) for s in steps] == [
            (StepKind.USER, "Build it, and never touch the tests"),
            (StepKind.STEP, "make"),
            (StepKind.STEP, "make docs"),
            (StepKind.ANSWER, "All is done."),
        ]
        assert memory.state().open_words == ()


@hosts
def test_a_call_is_in_flight_until_its_result_comes(kind, tmp_path):
    session = Session("run", data=tmp_path, memory="on")
    with serving(kind, tmp_path, *TURNS, session=session) as host:
        host.user("Build it")
        [(call_id, _, _)] = host.ask().calls
        with Memory(tmp_path) as memory:  # as another process finds it after a crash
            assert [step.action for step in memory.state().in_flight] == ["make"]
            assert memory.state().next_action == "make"
        host.result((call_id, "built"))
        host.ask()
        with Memory(tmp_path) as memory:
            assert [step.action for step in memory.state().in_flight] == ["make docs"]
        session.close()


def test_an_answer_that_comes_back_is_no_second_one(tmp_path):
    model = wrap(ScriptedModel("One.", "Two."), data=tmp_path, memory="log")
    tools = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}]
    history = [{"role": "user", "content": "first"}]
    history += [model(history, tools=tools), {"role": "user", "content": "second"}]
    model(history, tools=tools)
    model.agentctx_session.close()
    with Memory(tmp_path) as memory:
        steps = memory.snapshot().steps(memory.snapshot().latest)
    assert [step.thought or step.observation for step in steps] == [
        "first",
        "One.",
        "second",
        "Two.",
    ]


def test_a_session_has_its_memory_already(tmp_path):
    with pytest.raises(ConfigError, match="mode and memory already"):
        wrap(ScriptedModel("x"), session=Session(data=tmp_path), memory="on")
