from __future__ import annotations

import functools
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from agentctx.session import Session
from agentctx.testing import Reply, ScriptedModel, call
from agentctx.testing.speak import chat, chat_events
from agentctx.values import Usage
from agentctx.wrap import wrap
from tests.wrap.hosts import ANTHROPIC_TOOLS, CHAT_TOOLS
from tests.wrap.test_wrap import HIDDEN, LOG, expand

ASK = [{"role": "user", "content": "hi"}]
BASH = call("bash", "c1", command="make")


def asked(model: Any) -> list[dict[str, Any]]:
    """A history with a long log at its end, made with `model`."""
    turn = model(ASK, tools=CHAT_TOOLS)
    return [*ASK, turn, {"role": "tool", "tool_call_id": "c1", "content": LOG}]


def test_a_callable_object_is_wrapped(tmp_path):
    script = ScriptedModel(BASH, lambda p: [expand(p)], "Done.")
    model = wrap(script, data=tmp_path)
    history = asked(model)
    assert model(history, tools=CHAT_TOOLS) == {"role": "assistant", "content": "Done."}
    assert HIDDEN not in json.dumps(script.payloads[1])
    assert HIDDEN in json.dumps(script.payloads[2])


async def test_an_async_function_is_wrapped(tmp_path):
    script = ScriptedModel(BASH, lambda p: [expand(p)], "Done.")

    async def ask(messages: list[Any], **options: Any) -> Any:
        return script(messages, **options)

    model = wrap(ask, data=tmp_path)
    turn = await model(messages=ASK, tools=CHAT_TOOLS)
    history = [*ASK, turn, {"role": "tool", "tool_call_id": "c1", "content": LOG}]
    assert (await model(history, tools=CHAT_TOOLS))["content"] == "Done."
    assert len(script.payloads) == 3


def test_a_function_may_answer_with_text(tmp_path):
    assert wrap(lambda messages: "hello", data=tmp_path)(ASK) == "hello"


def test_arguments_arrive_as_they_were_given(tmp_path):
    seen = []

    def ask(model: str, messages: list[Any], /, temperature: float = 0.0, *, tools: Any) -> str:
        seen.append((model, messages, temperature, tools))
        return "ok"

    wrap(ask, data=tmp_path)("m", ASK, 0.5, tools=None)
    assert seen == [("m", ASK, 0.5, None)]
    assert seen[0][1] is ASK


def test_the_history_may_be_the_first_argument_whatever_its_name(tmp_path):
    script = ScriptedModel(BASH, lambda p: [expand(p)], "Done.")

    def ask(chat: list[Any], tools: Any) -> Any:
        return script(chat, tools=tools)

    model = wrap(ask, data=tmp_path)
    assert model(asked(model), CHAT_TOOLS)["content"] == "Done."


def test_a_reply_of_no_known_form_is_passed_on(tmp_path):
    reply = object()
    model = wrap(lambda messages, tools: reply, data=tmp_path)
    assert model(ASK, CHAT_TOOLS) is reply
    streamed = wrap(lambda messages, stream: iter([1, reply]), data=tmp_path)
    assert list(streamed(ASK, stream=True)) == [1, reply]


@pytest.mark.parametrize("last", ["Done.", object()])
def test_a_reply_without_a_place_for_usage_may_follow_rounds_that_had_some(last, tmp_path):
    asked = Reply(parts=(call("expand", handle="ffffff"),))
    replies = iter([chat(asked, Usage(input=5, output=1), "1", {}), last])
    model = wrap(lambda messages, tools: next(replies), data=tmp_path)
    assert model(ASK, CHAT_TOOLS) is last


async def test_a_plain_function_may_hand_out_coroutines_and_async_streams(tmp_path):
    script = ScriptedModel(BASH, lambda p: [expand(p)], "Done.")

    async def reply(messages: list[Any], **options: Any) -> Any:
        return script(messages, **options)

    def plain(messages: list[Any], **options: Any) -> Any:
        return reply(messages, **options)

    model = wrap(plain, data=tmp_path)
    turn = await model(ASK, tools=CHAT_TOOLS)
    history = [*ASK, turn, {"role": "tool", "tool_call_id": "c1", "content": LOG}]
    assert (await model(history, tools=CHAT_TOOLS))["content"] == "Done."

    async def stream(messages: list[Any], **options: Any) -> Any:
        async def events() -> AsyncIterator[Any]:
            for chunk in chunks(Reply(parts=("hello",))):
                yield chunk

        return events()

    def streaming(messages: list[Any], **options: Any) -> Any:
        return stream(messages, **options)

    seen = await wrap(streaming, data=tmp_path)(ASK, stream=True)
    assert [chunk async for chunk in seen] == chunks(Reply(parts=("hello",)))


def test_a_function_may_ignore_that_a_stream_is_wanted(tmp_path):
    model = wrap(lambda messages, stream: "hello", data=tmp_path)
    assert model(ASK, stream=True) == "hello"


@pytest.mark.parametrize("given", ["a prompt", 7, None, object()])
def test_what_is_no_history_is_passed_on(given, tmp_path):
    assert wrap(lambda messages: messages, data=tmp_path)(given) is given


def test_a_history_that_cannot_be_read_is_passed_on(tmp_path):
    strange = [object(), 3, {"role": ["x"]}, {"role": "tool"}]
    assert wrap(lambda messages: messages, data=tmp_path)(strange) is strange


def test_name_and_signature_are_kept(tmp_path):
    def ask(messages: list[Any]) -> str:
        """Ask."""
        return "x"

    model = wrap(ask, data=tmp_path)
    assert (model.__name__, model.__doc__) == ("ask", "Ask.")
    assert isinstance(model.agentctx_session, Session)


def test_a_partial_function_is_wrapped(tmp_path):
    script = ScriptedModel(BASH, lambda p: [expand(p)], "Done.")
    model = wrap(functools.partial(script, tools=CHAT_TOOLS), data=tmp_path)
    turn = model(ASK)
    history = [*ASK, turn, {"role": "tool", "tool_call_id": "c1", "content": LOG}]
    assert model(history)["content"] == "Done."
    assert [len(payload["tools"]) for payload in script.payloads] == [2, 2, 2]


def test_the_wire_may_be_named(tmp_path):
    payloads = []
    turns = [
        [{"type": "tool_use", "id": "c2", "name": "expand", "input": {"handle": "ffffff"}}],
        [{"type": "text", "text": "Done."}],
    ]

    def ask(messages: list[Any], tools: Any) -> Any:
        payloads.append(messages)
        content = turns.pop(0)
        stop = "tool_use" if content[0]["type"] == "tool_use" else "end_turn"
        return {"role": "assistant", "content": content, "stop_reason": stop}

    reply = wrap(ask, data=tmp_path, wire="anthropic")(ASK, ANTHROPIC_TOOLS)
    assert reply["content"] == [{"type": "text", "text": "Done."}]
    assert payloads[1][-1]["content"][0]["type"] == "tool_result"


def chunks(reply: Reply) -> list[dict[str, Any]]:
    return [data for _, data in chat_events(reply, Usage(), "1", {})]


def test_events_pass_as_they_come(tmp_path):
    delivered = []

    def ask(messages: list[Any], stream: bool, tools: Any) -> Iterator[Any]:
        for chunk in chunks(Reply(parts=("one two three four", call("bash", x="y" * 50)))):
            delivered.append(chunk)
            yield chunk

    stream = wrap(ask, data=tmp_path)(ASK, stream=True, tools=CHAT_TOOLS)
    for number, chunk in enumerate(stream, 1):
        assert len(delivered) == number
        assert chunk is delivered[-1]


async def test_async_events_pass_as_they_come(tmp_path):
    delivered = []

    async def ask(messages: list[Any], stream: bool, tools: Any) -> AsyncIterator[Any]:
        async def events() -> AsyncIterator[Any]:
            for chunk in chunks(Reply(parts=("one two three four", call("bash")))):
                delivered.append(chunk)
                yield chunk

        return events()

    stream = await wrap(ask, data=tmp_path)(ASK, stream=True, tools=CHAT_TOOLS)
    number = 0
    async for _ in stream:
        number += 1
        assert len(delivered) == number


def test_a_stream_that_is_left_early_is_closed(tmp_path):
    closed = []

    def ask(messages: list[Any], stream: bool) -> Iterator[Any]:
        try:
            yield from chunks(Reply(parts=("one two three four",)))
        finally:
            closed.append(True)

    with wrap(ask, data=tmp_path)(ASK, stream=True) as stream:
        next(stream)
    assert closed == [True]


def test_an_error_in_a_stream_passes_through(tmp_path):
    def ask(messages: list[Any], stream: bool) -> Iterator[Any]:
        yield chunks(Reply(parts=("one",)))[0]
        raise ConnectionResetError("gone")

    stream = wrap(ask, data=tmp_path)(ASK, stream=True)
    next(stream)
    with pytest.raises(ConnectionResetError, match="gone"):
        next(stream)
