from __future__ import annotations

import json

import anthropic
import openai
import pytest

from agentctx.errors import AgentctxError
from agentctx.testing import (
    FakeUpstream,
    Fault,
    FixedClock,
    Reply,
    ScriptedModel,
    Thinking,
    call,
)
from agentctx.values import ToolCall, Usage

ASK = [{"role": "user", "content": "hi"}]
BASH = call("bash", "call_a", command="ls -l /tmp")
MIXED = (Thinking("hm, hidden lines?"), "Let me look at this first.", BASH, "and", call("noop"))


def openai_client(upstream: FakeUpstream) -> openai.OpenAI:
    return openai.OpenAI(base_url=upstream.url + "/v1", api_key="none", max_retries=0)


def anthropic_client(upstream: FakeUpstream) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=upstream.url, api_key="none", max_retries=0)


def test_a_scripted_model_is_a_plain_callable():
    model = ScriptedModel("hello", BASH)
    assert model(ASK) == {"role": "assistant", "content": "hello"}
    [made] = model(ASK, tools=[])["tool_calls"]
    assert made["id"] == "call_a"
    assert json.loads(made["function"]["arguments"]) == {"command": "ls -l /tmp"}
    assert [payload.get("tools") for payload in model.payloads] == [None, []]


def test_a_reply_may_depend_on_the_request():
    model = ScriptedModel(lambda payload: payload["messages"][-1]["content"].upper())
    assert model(ASK)["content"] == "HI"


def test_the_end_of_the_script_is_an_error_and_not_a_hang():
    with pytest.raises(AgentctxError, match="ended before request 1"):
        ScriptedModel()(ASK)


def test_an_ended_script_reaches_the_client_as_a_server_error():
    with (
        FakeUpstream(ScriptedModel()) as upstream,
        openai_client(upstream) as client,
        pytest.raises(openai.InternalServerError, match="ended before request 1"),
    ):
        client.chat.completions.create(model="m", messages=ASK)


@pytest.mark.parametrize("status", [400, 429, 529])
def test_a_fault_keeps_its_status(status):
    with (
        FakeUpstream(ScriptedModel(Fault(status, "no"))) as upstream,
        anthropic_client(upstream) as client,
        pytest.raises(anthropic.APIStatusError) as caught,
    ):
        client.messages.create(model="m", max_tokens=9, messages=ASK)
    assert caught.value.status_code == status


def test_an_unknown_path_is_not_found():
    with (
        FakeUpstream(ScriptedModel("x")) as upstream,
        openai_client(upstream) as client,
        pytest.raises(openai.NotFoundError),
    ):
        client.embeddings.create(model="m", input="x")


def test_a_streamed_chat_completion_adds_up_to_the_whole_one():
    with (
        FakeUpstream(ScriptedModel(MIXED, MIXED)) as upstream,
        openai_client(upstream) as client,
    ):
        whole = client.chat.completions.create(model="m", messages=ASK).choices[0].message
        with client.chat.completions.stream(model="m", messages=ASK) as stream:
            built = stream.get_final_completion().choices[0].message
    assert built.content == whole.content == "Let me look at this first.and"
    assert [(c.id, c.function.arguments) for c in built.tool_calls] == [
        (c.id, c.function.arguments) for c in whole.tool_calls
    ]


def test_a_streamed_response_adds_up_to_the_whole_one():
    with (
        FakeUpstream(ScriptedModel(MIXED, MIXED)) as upstream,
        openai_client(upstream) as client,
    ):
        whole = client.responses.create(model="m", input=ASK)
        with client.responses.stream(model="m", input=ASK) as stream:
            built = stream.get_final_response()
    kinds = ["reasoning", "message", "function_call", "message", "function_call"]
    assert [item.type for item in whole.output] == [item.type for item in built.output] == kinds
    assert whole.output_text == built.output_text


def test_a_streamed_message_adds_up_to_the_whole_one():
    with (
        FakeUpstream(ScriptedModel(MIXED, MIXED)) as upstream,
        anthropic_client(upstream) as client,
    ):
        whole = client.messages.create(model="m", max_tokens=9, messages=ASK)
        with client.messages.stream(model="m", max_tokens=9, messages=ASK) as stream:
            built = stream.get_final_message()
    assert [block.to_dict() for block in whole.content] == [
        {k: v for k, v in block.to_dict().items() if k != "parsed_output"}
        for block in built.content
    ]
    assert built.stop_reason == "tool_use"


async def test_the_async_clients_are_served_too():
    with FakeUpstream(ScriptedModel("one", "two", "three")) as upstream:
        async with openai.AsyncOpenAI(base_url=upstream.url + "/v1", api_key="none") as client:
            reply = await client.chat.completions.create(model="m", messages=ASK)
            assert reply.choices[0].message.content == "one"
            response = await client.responses.create(model="m", input="hi")
            assert response.output_text == "two"
        async with (
            anthropic.AsyncAnthropic(base_url=upstream.url, api_key="none") as client,
            client.messages.stream(model="m", max_tokens=9, messages=ASK) as stream,
        ):
            assert "".join([text async for text in stream.text_stream]) == "three"


def test_requests_are_recorded_raw_and_parsed():
    with FakeUpstream(ScriptedModel("x")) as upstream, openai_client(upstream) as client:
        client.chat.completions.create(model="m", messages=ASK)
    [request] = upstream.requests
    assert json.loads(request.raw) == request.body == upstream.bodies[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer none"


def test_a_repeated_prefix_is_counted_as_read_from_the_cache():
    longer = [*ASK, {"role": "assistant", "content": "x" * 400}, {"role": "user", "content": "?"}]
    with FakeUpstream(ScriptedModel("a", "b", "c")) as upstream, openai_client(upstream) as client:
        first, second, third = (
            client.chat.completions.create(model="m", messages=messages).usage
            for messages in (ASK, longer, longer)
        )
    assert first.prompt_tokens_details.cached_tokens == 0
    assert 0 < second.prompt_tokens_details.cached_tokens < second.prompt_tokens / 2
    assert third.prompt_tokens_details.cached_tokens == third.prompt_tokens


def test_a_reply_may_state_its_own_usage():
    told = Reply(parts=("x",), usage=Usage(input=7, cache_read=5, cache_write=3, output=2))
    with FakeUpstream(ScriptedModel(told)) as upstream, anthropic_client(upstream) as client:
        usage = client.messages.create(model="m", max_tokens=9, messages=ASK).usage
    assert (usage.input_tokens, usage.cache_read_input_tokens) == (7, 5)
    assert (usage.cache_creation_input_tokens, usage.output_tokens) == (3, 2)


def test_call_ids_are_fresh_unless_given():
    assert call("a").id != call("a").id
    assert call("a", "mine", x=1) == ToolCall(id="mine", name="a", arguments={"x": 1})


def test_a_fixed_clock_moves_only_when_told():
    clock = FixedClock(100.0)
    assert clock() == clock() == 100.0
    clock.advance(1.5)
    assert clock() == 101.5
