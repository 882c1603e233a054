"""The real SDKs: their parameter types take what we write, and we read the objects they return."""

from __future__ import annotations

import copy
from typing import Any

import anthropic
import openai
import pydantic
import pytest
from anthropic.types import Message, MessageParam, ToolParam
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import (
    ChatCompletionFunctionToolParam,
    ChatCompletionMessage,
    ChatCompletionMessageParam,
)
from openai.types.responses import FunctionToolParam, ResponseInputItemParam
from openai.types.responses.response_output_item import ResponseOutputItem

from agentctx import wire
from agentctx.errors import WireError
from agentctx.values import Edit, Image, Kind, Payload, Slot, Text, ToolSpec
from tests.strategies import histories

SPEC = ToolSpec(name="expand", description="Show it all.", parameters={"type": "object"})

PARAMS: dict[str, tuple[str, Any, Any]] = {
    "anthropic": ("messages", MessageParam, ToolParam),
    "openai_chat": ("messages", ChatCompletionMessageParam, ChatCompletionFunctionToolParam),
    "openai_responses": ("input", ResponseInputItemParam, FunctionToolParam),
}
ADAPTERS = {
    name: (key, pydantic.TypeAdapter(item), pydantic.TypeAdapter(tool))
    for name, (key, item, tool) in PARAMS.items()
}


def exhaust(value: Any) -> None:
    """Walk a validated value: pydantic checks the items of an Iterable only as they are taken."""
    if isinstance(value, dict):
        for inner in value.values():
            exhaust(inner)
    elif not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):
        for inner in value:
            exhaust(inner)


def accepts(adapter: pydantic.TypeAdapter[Any], value: Any) -> None:
    exhaust(adapter.validate_python(value))


@pytest.mark.parametrize("name", PARAMS)
@given(data=st.data())
def test_the_sdk_types_take_what_is_written(name: str, data: st.DataObject) -> None:
    key, items, tools = ADAPTERS[name]
    spoken = wire.get(name)
    payload = data.draw(histories(name))
    image = () if name == "openai_chat" else (Image(b"\x89PNG"),)
    edits = [
        Edit(s.path, (Text("a"), Text("b"), *image))
        for s in spoken.read(payload)
        if s.kind is Kind.OBSERVATION and s.tool not in ("shell", "apply_patch") and not s.is_error
    ]
    written = spoken.add_tools(spoken.write(payload, edits), [SPEC])
    for item in written[key]:
        accepts(items, item)
    for tool in written.get("tools", [])[-1:]:
        accepts(tools, tool)


def test_the_sdk_types_refuse_what_is_wrong() -> None:
    with pytest.raises(pydantic.ValidationError):
        accepts(ADAPTERS["openai_chat"][1], {"role": "tool", "content": [{"type": "image"}]})


def anthropic_reply() -> Message:
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "I look", "citations": None},
        {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}},
    ]
    return Message.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": content,
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )


def chat_reply() -> ChatCompletionMessage:
    function = {"name": "bash", "arguments": '{"command": "ls"}'}
    call = {"id": "a", "type": "function", "function": function}
    reply = {"role": "assistant", "content": "I look", "tool_calls": [call], "reasoning": "hm"}
    return ChatCompletionMessage.model_validate(reply)


def responses_reply() -> list[Any]:
    part = {"type": "output_text", "text": "I look", "annotations": []}
    items = [
        {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "hm"}]},
        {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        },
        {"type": "function_call", "call_id": "a", "name": "bash", "arguments": '{"command": "ls"}'},
    ]
    adapter: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(ResponseOutputItem)
    return [adapter.validate_python(item) for item in items]


def replies() -> list[tuple[str, Payload]]:
    task = {"role": "user", "content": "go"}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "done"}
    answer = {"role": "user", "content": [result]}
    blocks = {"role": "assistant", "content": anthropic_reply().content}
    tool = {"role": "tool", "tool_call_id": "a", "content": "done"}
    output = {"type": "function_call_output", "call_id": "a", "output": "done"}
    return [
        ("anthropic", {"messages": [task, blocks, answer]}),
        ("anthropic", {"messages": [task, anthropic_reply(), answer]}),
        ("openai_chat", {"messages": [task, chat_reply(), tool]}),
        ("openai_responses", {"input": [task, *responses_reply(), output]}),
    ]


@pytest.mark.parametrize(("name", "payload"), replies())
def test_replies_appended_as_objects_are_read_like_dicts(name: str, payload: Payload) -> None:
    spoken = wire.get(name)
    assert wire.detect(payload) == name
    assert spoken.check(payload) == []
    slots = spoken.read(payload)
    assert [(s.kind, s.text) for s in slots] == [
        (Kind.USER, "go"),
        (Kind.REASONING, "hm"),
        (Kind.ASSISTANT, "I look"),
        (Kind.TOOL_CALL, '{"command": "ls"}'),
        (Kind.OBSERVATION, "done"),
    ]
    assert (slots[-1].tool, slots[-1].arguments) == ("bash", {"command": "ls"})


@pytest.mark.parametrize(("name", "payload"), replies())
def test_an_edit_leaves_the_sdk_objects_where_they_are(name: str, payload: Payload) -> None:
    key = ADAPTERS[name][0]
    before = copy.deepcopy(payload)
    (slot,) = wire.fresh(wire.get(name).read(payload))
    written = wire.get(name).write(payload, [Edit(slot.path, (Text("short"),))])
    assert payload == before
    assert all(a is b for a, b in zip(written[key][:-1], payload[key][:-1], strict=True))


def result_object() -> Any:
    class Result(pydantic.BaseModel):
        role: str = "tool"
        tool_call_id: str = "a"
        content: str = "done"

    return Result()


def test_an_observation_inside_an_object_is_read_but_never_edited() -> None:
    payload = {"messages": [{"role": "user", "content": "go"}, chat_reply(), result_object()]}
    spoken = wire.get("openai_chat")
    slot: Slot = spoken.read(payload)[-1]
    assert (slot.kind, slot.text, slot.tool) == (Kind.OPAQUE, "done", "bash")
    assert spoken.check(payload) == []
    with pytest.raises(WireError, match="only an observation may be edited"):
        spoken.write(payload, [Edit(slot.path, (Text("x"),))])


def test_a_result_block_inside_an_object_is_read_but_never_edited() -> None:
    class Result(pydantic.BaseModel):
        type: str = "tool_result"
        tool_use_id: str = "a"
        content: tuple[dict[str, str]] = ({"type": "text", "text": "done"},)

    payload = {"messages": [*replies()[0][1]["messages"][:2], user_with(Result())]}
    slot = wire.get("anthropic").read(payload)[-1]
    assert (slot.kind, slot.text, slot.call_id) == (Kind.OPAQUE, "done", "a")


def user_with(block: Any) -> dict[str, Any]:
    return {"role": "user", "content": [block]}


def test_an_object_that_cannot_be_dumped_is_opaque() -> None:
    class Broken:
        def model_dump(self, **_: Any) -> Any:
            raise RuntimeError("no")

    payload = {"messages": [{"role": "user", "content": "go"}, Broken()]}
    assert wire.get("openai_chat").read(payload)[-1].kind is Kind.OPAQUE


@pytest.mark.parametrize("absent", [None, anthropic.NOT_GIVEN, openai.NOT_GIVEN, openai.omit])
def test_a_field_that_is_not_given_counts_as_absent(absent: Any) -> None:
    payload = {"messages": [{"role": "user", "content": "go"}], "system": absent, "tools": absent}
    spoken = wire.get("anthropic")
    assert len(spoken.read(payload)) == 1
    assert spoken.tool_names(payload) == frozenset()
    assert spoken.add_tools(payload, [SPEC]) is payload
