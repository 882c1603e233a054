from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import anthropic
import openai
import pydantic
import pytest

from agentctx.errors import ConfigError, RedactionError
from agentctx.session import Session
from agentctx.testing import FakeUpstream, Reply, ScriptedModel, Thinking, call
from agentctx.wrap import wrap
from tests.wrap.hosts import (
    ANTHROPIC_TOOLS,
    CHAT_TOOLS,
    Anthropic,
    AnthropicStream,
    Chat,
    ChatStream,
    Responses,
    ResponsesStream,
    check_requests,
    each,
    openai_client,
    serving,
)
from tests.wrap.test_wrap import BASH, HIDDEN, LOG, expand, handle, started

ASK = [{"role": "user", "content": "hi"}]


class Slow:
    """A redactor that takes its time."""

    def redact(self, text: str) -> str:
        time.sleep(0.3)
        return text


class Broken:
    """A redactor that cannot do its work."""

    def redact(self, text: str) -> str:
        raise RedactionError("no key: make one")


def test_a_wrapped_client_is_of_the_class_of_the_original_and_shares_its_connections(tmp_path):
    with FakeUpstream(ScriptedModel()) as upstream, openai_client(upstream) as client:
        twin = wrap(client, data=tmp_path)
        assert isinstance(twin, openai.OpenAI)
        assert twin is not client
        assert twin._client is client._client
        assert twin.base_url == client.base_url
        assert twin.models is not None


def test_the_original_client_is_left_as_it_was(tmp_path):
    with FakeUpstream(ScriptedModel("a", "b")) as upstream, openai_client(upstream) as client:
        assert client.chat.completions is not None  # the resource is cached before wrapping
        twin = wrap(client, data=tmp_path)
        client.chat.completions.create(model="m", messages=ASK, tools=CHAT_TOOLS)
        twin.chat.completions.create(model="m", messages=ASK, tools=CHAT_TOOLS)
        plain, wrapped = upstream.bodies
    assert plain["tools"] == CHAT_TOOLS
    assert len(wrapped["tools"]) == 2


def test_derived_clients_stay_wrapped(tmp_path):
    with FakeUpstream(ScriptedModel("a", "b")) as upstream, openai_client(upstream) as client:
        twin = wrap(client, data=tmp_path).with_options(timeout=7)
        assert twin.timeout == 7
        twin.chat.completions.create(model="m", messages=ASK, tools=CHAT_TOOLS)
        twin.copy().chat.completions.create(model="m", messages=ASK, tools=CHAT_TOOLS)
        assert [len(body["tools"]) for body in upstream.bodies] == [2, 2]


def test_a_wrapped_client_is_a_context_manager(tmp_path):
    with FakeUpstream(ScriptedModel("a")) as upstream:
        client = openai_client(upstream)
        with wrap(client, data=tmp_path) as twin:
            twin.chat.completions.create(model="m", messages=ASK)
        assert client.is_closed()


def test_a_subclass_of_a_client_can_be_wrapped(tmp_path):
    class Mine(openai.OpenAI):
        def __init__(self, upstream: FakeUpstream) -> None:
            super().__init__(base_url=upstream.url + "/v1", api_key="none")

        def hello(self) -> Any:
            return self.chat.completions.create(model="m", messages=ASK, tools=CHAT_TOOLS)

    with FakeUpstream(ScriptedModel("a")) as upstream, Mine(upstream) as client:
        twin = wrap(client, data=tmp_path)
        assert twin.hello().choices[0].message.content == "a"
        assert len(upstream.bodies[0]["tools"]) == 2


def test_other_requests_pass_through(tmp_path):
    with (
        FakeUpstream(ScriptedModel("a")) as upstream,
        openai_client(upstream) as client,
        pytest.raises(openai.NotFoundError),
    ):
        wrap(client, data=tmp_path).embeddings.create(model="m", input="x")
    assert not (tmp_path / "state.db").exists()


@pytest.mark.parametrize("mode", ["off", "meter"])
def test_these_modes_change_no_byte(mode, tmp_path):
    tool = {"role": "tool", "tool_call_id": "c", "content": LOG}
    history = [*ASK, chat_turn("c"), tool]
    asked = {"model": "m", "messages": history, "tools": CHAT_TOOLS}
    with FakeUpstream(ScriptedModel("a", "b")) as upstream, openai_client(upstream) as client:
        client.chat.completions.create(**asked)
        wrap(client, data=tmp_path, mode=mode).chat.completions.create(**asked)
    one, other = upstream.requests
    assert one.raw == other.raw


def chat_turn(call_id: str) -> dict[str, Any]:
    function = {"name": "bash", "arguments": '{"command": "make"}'}
    made = [{"id": call_id, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": made}


def test_a_request_that_needs_no_change_goes_out_byte_for_byte(tmp_path):
    history = [*ASK, {"role": "assistant", "content": "hm", "x_unknown": [1.0, None]}, *ASK]
    with FakeUpstream(ScriptedModel("a", "b")) as upstream, openai_client(upstream) as client:
        client.chat.completions.create(model="m", messages=history, temperature=0.5)
        twin = wrap(client, data=tmp_path)
        twin.chat.completions.create(model="m", messages=iter(history), temperature=0.5)
    one, other = upstream.requests
    assert one.raw == other.raw


def test_a_tool_of_the_callers_that_is_named_like_ours_is_his(tmp_path):
    own = {"type": "function", "function": {"name": "expand", "parameters": {"type": "object"}}}
    model = ScriptedModel(call("expand", "c1", handle="abcdef"))
    with FakeUpstream(model) as upstream, openai_client(upstream) as client:
        twin = wrap(client, data=tmp_path)
        reply = twin.chat.completions.create(model="m", messages=ASK, tools=[own])
    assert reply.choices[0].message.tool_calls[0].id == "c1"
    assert upstream.bodies[0]["tools"] == [own]


def test_several_choices_are_left_to_the_caller(tmp_path):
    with FakeUpstream(ScriptedModel("a")) as upstream, openai_client(upstream) as client:
        twin = wrap(client, data=tmp_path)
        twin.chat.completions.create(model="m", messages=ASK, tools=CHAT_TOOLS, n=2)
    assert upstream.bodies[0]["tools"] == CHAT_TOOLS


def test_a_raw_response_has_its_headers_and_parses_to_what_the_caller_may_see(tmp_path):
    with serving(Chat, tmp_path, BASH, lambda p: [expand(p)], "Done.") as host:
        started(host)
        raw = host.client.chat.completions.with_raw_response.create(**host.options())
        assert raw.headers["content-type"] == "application/json"
        assert raw.parse().choices[0].message.content == "Done."
        assert len(host.upstream.requests) == 3


async def test_raw_responses_of_async_clients_parse_too(tmp_path):
    with FakeUpstream(ScriptedModel("a", "b")) as upstream:
        async with openai_client(upstream, openai.AsyncOpenAI) as client:
            twin = wrap(client, data=tmp_path)
            raw = await twin.chat.completions.with_raw_response.create(model="m", messages=ASK)
            assert raw.parse().choices[0].message.content == "a"
        async with anthropic.AsyncAnthropic(base_url=upstream.url, api_key="none") as client:
            twin = wrap(client, data=tmp_path)
            raw = await twin.messages.with_raw_response.create(
                model="m", max_tokens=9, messages=ASK
            )
            parsed = raw.parse()
            message = await parsed if asyncio.iscoroutine(parsed) else parsed
            assert message.content[0].text == "b"


def test_who_reads_the_bytes_himself_gets_them_as_they_come(tmp_path):
    with FakeUpstream(ScriptedModel("a")) as upstream, openai_client(upstream) as client:
        twin = wrap(client, data=tmp_path)
        create = twin.chat.completions.with_streaming_response.create
        with create(model="m", messages=ASK, tools=CHAT_TOOLS) as response:
            assert json.loads(response.read())["choices"][0]["message"]["content"] == "a"
    assert upstream.bodies[0]["tools"] == CHAT_TOOLS


class Verdict(pydantic.BaseModel):
    built: bool


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # of the SDK, on its own reply
def test_parsed_replies_are_those_of_the_last_round(tmp_path):
    lines = [BASH, lambda p: [expand(p)], '{"built": true}', '{"built": false}']
    with serving(Chat, tmp_path, *lines) as host:
        host.user("build it")
        strict = {"type": "object", "properties": {}, "additionalProperties": False}
        function = {"name": "bash", "parameters": strict, "strict": True}
        asked = {
            "model": "m",
            "messages": host.history,
            "tools": [{"type": "function", "function": function}],
        }
        [made] = host.client.chat.completions.parse(**asked).choices[0].message.tool_calls
        host.history += [chat_turn(made.id)]
        host.result((made.id, LOG))
        reply = host.client.chat.completions.parse(**asked, response_format=Verdict)
        assert reply.choices[0].message.parsed == Verdict(built=True)
        host.history.append(reply.choices[0].message)
        host.user("sure?")
        host.client.chat.completions.parse(**asked, response_format=Verdict)
        assert HIDDEN in json.dumps(host.upstream.bodies[3])


@each([Chat, Anthropic, Responses])
def test_when_secrets_cannot_be_removed_nothing_is_sent(kind, tmp_path):
    session = Session(data=tmp_path, redactor=Broken())
    with serving(kind, tmp_path, BASH, "never", session=session) as host:
        host.user("build it")
        [(call_id, _, _)] = host.ask().calls
        host.result((call_id, LOG))
        with pytest.raises(RedactionError, match="make one"):
            host.ask()
        assert len(host.upstream.requests) == 1


async def test_our_work_does_not_hold_up_the_event_loop(tmp_path):
    session = Session(data=tmp_path, redactor=Slow())
    ticks: list[float] = []

    async def tick() -> None:
        while True:
            ticks.append(time.monotonic())
            await asyncio.sleep(0.01)

    history = [*ASK, chat_turn("c"), {"role": "tool", "tool_call_id": "c", "content": LOG}]
    with FakeUpstream(ScriptedModel("a")) as upstream:
        async with openai_client(upstream, openai.AsyncOpenAI) as client:
            twin = wrap(client, session=session)
            ticking = asyncio.create_task(tick())
            started_at = time.monotonic()
            await twin.chat.completions.create(model="m", messages=history, tools=CHAT_TOOLS)
            took = time.monotonic() - started_at
            ticking.cancel()
    assert took >= 0.3
    assert len(ticks) > 10


def test_what_cannot_be_wrapped_is_refused_with_a_reason(tmp_path):
    with pytest.raises(ConfigError, match="int cannot be wrapped"):
        wrap(3)
    twice = wrap(lambda messages: "x", data=tmp_path)
    with pytest.raises(ConfigError, match="wrapped already"):
        wrap(twice)
    with pytest.raises(ConfigError, match="use one of off"):
        wrap(lambda messages: "x", mode="loud")
    with pytest.raises(ConfigError, match="pass only the session"):
        wrap(lambda messages: "x", session=Session(data=tmp_path), mode="off")


@each([Anthropic, AnthropicStream])
def test_thinking_goes_back_byte_for_byte(kind, tmp_path):
    theirs = call("bash", command="ls")
    lines = [
        BASH,
        lambda p: [Thinking("first\u2028 é ", "c2ln1=="), "Look. ", expand(p)],
        lambda p: [Thinking("second", "c2ln2=="), expand(p, "1-9"), theirs],
        "Done.",
    ]
    with serving(kind, tmp_path, *lines) as host:
        started(host)
        host.ask()
        host.result((theirs.id, "a.out"))
        host.ask()
        turns = [m for m in host.upstream.bodies[3]["messages"] if m["role"] == "assistant"]
        blocks = [block for turn in turns for block in turn["content"]]
        kinds = ["tool_use", "thinking", "text", "tool_use", "thinking", "tool_use", "tool_use"]
        assert [block["type"] for block in blocks] == kinds
        first, second = (block for block in blocks if block["type"] == "thinking")
        assert first == {"type": "thinking", "thinking": "first\u2028 é ", "signature": "c2ln1=="}
        assert second["signature"] == "c2ln2=="
        check_requests(host)


def test_a_cache_marker_on_a_restored_turn_stays(tmp_path):
    theirs = call("bash", command="ls")
    lines = [BASH, lambda p: [expand(p), theirs], "Done."]
    with serving(Anthropic, tmp_path, *lines) as host:
        started(host)
        host.ask()
        blocks = [block.to_dict() for block in host.history[-1]["content"]]
        blocks[-1]["cache_control"] = {"type": "ephemeral"}
        host.history[-1] = {"role": "assistant", "content": blocks}
        host.result((theirs.id, "a.out"))
        host.ask()
        restored = host.upstream.bodies[2]["messages"][3]["content"]
    assert [block.get("cache_control") for block in restored] == [None, {"type": "ephemeral"}]


@each([Chat, ChatStream, Anthropic, AnthropicStream, Responses])
def test_a_turn_cut_by_a_limit_is_not_continued(kind, tmp_path):
    stop = {"openai_chat": "length", "anthropic": "max_tokens", "openai_responses": "cut"}[
        kind.name
    ]
    lines = [BASH, lambda p: Reply(parts=("Half", expand(p)), stop=stop)]
    with serving(kind, tmp_path, *lines) as host:
        started(host)
        if kind is ChatStream:
            with pytest.raises(openai.LengthFinishReasonError):
                host.ask()
        else:
            seen = host.ask()
            assert (seen.text, seen.calls) == ("Half", [])
            assert seen.stop in ("length", "max_tokens", "incomplete")
        assert len(host.upstream.requests) == 2


def test_a_server_side_history_is_continued_with_our_results(tmp_path):
    theirs = call("bash", command="ls")
    lines = [
        BASH,
        lambda p: [expand(p)],
        lambda p: [call("expand", handle="ffffff"), theirs],
        "Done.",
    ]
    with serving(Responses, tmp_path, *lines) as host:
        create = host.client.responses.create
        asked = {"model": "gpt-5", "tools": host.options()["tools"]}
        first = create(**asked, input="build it")
        output = {"type": "function_call_output", "call_id": BASH.id, "output": LOG}
        second = create(**asked, input=[output], previous_response_id=first.id)
        assert [item.name for item in second.output] == ["bash"]
        output = {"type": "function_call_output", "call_id": theirs.id, "output": "a.out"}
        create(**asked, input=[output], previous_response_id=second.id)
        bodies = host.upstream.bodies
    assert [body.get("previous_response_id") for body in bodies] == [
        None,
        "resp_0001",
        "resp_0002",
        "resp_0003",
    ]
    assert "[agentctx:" in bodies[1]["input"][0]["output"]
    [inside] = bodies[2]["input"]
    assert inside["output"].count("\n") == 21
    ours, caller = bodies[3]["input"]
    assert ours["output"].startswith("error: ")
    assert caller == output


def test_a_stream_may_be_continued_by_the_id_that_the_caller_saw(tmp_path):
    with serving(ResponsesStream, tmp_path, BASH, lambda p: [expand(p)], "Done.", "Bye.") as host:
        started(host)
        with host.client.responses.stream(**host.options()) as stream:
            seen = stream.get_final_response()
        assert seen.id == "resp_0002"
        host.client.responses.create(
            model="gpt-5", input="thanks", previous_response_id=seen.id, tools=[]
        )
        assert host.upstream.bodies[3]["previous_response_id"] == "resp_0003"


def test_reasoning_that_nobody_keeps_is_not_sent_back(tmp_path):
    lines = [BASH, lambda p: [Thinking("x", ""), expand(p)], "Done."]
    with serving(Responses, tmp_path, *lines) as host:
        started(host)
        host.client.responses.create(**host.options(), store=False)
        kinds = [item.get("type") for item in host.upstream.bodies[2]["input"]]
    assert "reasoning" not in kinds
    assert kinds[-2:] == ["function_call", "function_call_output"]


def test_beta_messages_go_through_the_session_too(tmp_path):
    with serving(Anthropic, tmp_path, BASH, lambda p: [expand(p)], "Done.") as host:
        started(host)
        reply = host.client.beta.messages.create(**host.options())
        assert reply.content[0].text == "Done."
        assert handle(host.upstream.bodies[1])
        assert [len(body["tools"]) for body in host.upstream.bodies] == [2, 2, 2]
        assert host.upstream.bodies[0]["tools"][:1] == ANTHROPIC_TOOLS
