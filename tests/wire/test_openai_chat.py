"""OpenAI Chat Completions: what is read, and one violation for each rule."""

from __future__ import annotations

from typing import Any

import pytest

from agentctx.errors import WireError
from agentctx.values import Edit, Image, Kind, Payload, Slot, Text
from agentctx.wire import openai_chat

Json = dict[str, Any]

TASK = {"role": "user", "content": "go"}


def call(call_id: str, arguments: Any = '{"command": "ls"}', name: str = "bash") -> Json:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def assistant(*calls: Json, **fields: Any) -> Json:
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **fields}


def tool(call_id: str, content: Any = "done") -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def request(*messages: Json, **fields: Any) -> Payload:
    return {"model": "m", "messages": [TASK, *messages], **fields}


def test_every_kind_of_message_is_read_in_order() -> None:
    payload = request(
        {"role": "developer", "content": [{"type": "text", "text": "rules"}]},
        assistant(call("a"), content="I look", reasoning_content="hm"),
        tool("a", [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]),
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]},
    )
    found = [(slot.kind, slot.text) for slot in openai_chat.read(payload)]
    assert found[:-1] == [
        (Kind.USER, "go"),
        (Kind.SYSTEM, "rules"),
        (Kind.REASONING, "hm"),
        (Kind.ASSISTANT, "I look"),
        (Kind.TOOL_CALL, '{"command": "ls"}'),
        (Kind.OBSERVATION, "one"),
        (Kind.OBSERVATION, "two"),
    ]
    assert found[-1][0] is Kind.OPAQUE


def test_an_observation_knows_its_call() -> None:
    assert openai_chat.read(request(assistant(call("a"), call("b")), tool("b", "x")))[-1] == Slot(
        path=("messages", 2, "content"),
        kind=Kind.OBSERVATION,
        text="x",
        turn=1,
        tool="bash",
        call_id="b",
        arguments={"command": "ls"},
    )


def test_an_id_that_is_used_again_means_the_latest_call() -> None:
    payload = request(
        assistant(call("0", "{}", "first")),
        tool("0"),
        assistant(call("0", "{}", "next")),
        tool("0"),
    )
    observations = [s for s in openai_chat.read(payload) if s.kind is Kind.OBSERVATION]
    assert [s.tool for s in observations] == ["first", "next"]


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        ('{"a": ', None),
        ("[1]", None),
        (None, None),
        ("9" * 5000, None),
        ({"a": 1}, {"a": 1}),
    ],
)
def test_arguments_that_cannot_be_parsed_are_none(raw: Any, arguments: Any) -> None:
    slots = openai_chat.read(request(assistant(call("a", raw)), tool("a")))
    assert [slot.arguments for slot in slots[1:]] == [arguments, arguments]


def test_a_custom_call_has_its_input_as_argument() -> None:
    custom = {"id": "a", "type": "custom", "custom": {"name": "sh", "input": "ls"}}
    slot = openai_chat.read(request(assistant(custom), tool("a")))[-1]
    assert (slot.tool, slot.arguments) == ("sh", {"input": "ls"})


def test_the_old_function_messages_are_read() -> None:
    payload = request(
        {"role": "assistant", "function_call": {"name": "ls", "arguments": "{}"}},
        {"role": "function", "name": "ls", "content": "files"},
    )
    called, answered = openai_chat.read(payload)[1:]
    assert (called.kind, called.tool) == (Kind.TOOL_CALL, "ls")
    assert (answered.kind, answered.tool, answered.text) == (Kind.OBSERVATION, "ls", "files")


def test_several_texts_become_a_list_and_an_image_is_refused() -> None:
    payload = request(assistant(call("a")), tool("a"))
    path = ("messages", 2, "content")
    written = openai_chat.write(payload, [Edit(path, (Text("one"), Text("two")))])
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    assert written["messages"][2]["content"] == parts
    with pytest.raises(WireError, match="put the picture into a user message"):
        openai_chat.write(payload, [Edit(path, (Image(b"x"),))])


@pytest.mark.parametrize("payload", [None, {}, {"messages": None}, {"messages": {"role": "user"}}])
def test_a_malformed_request_is_a_one_line_error(payload: Any) -> None:
    for act in (openai_chat.read, openai_chat.check, lambda p: openai_chat.write(p, [EDIT])):
        with pytest.raises(WireError, match=r"^[^\n]+: pass the [^\n]+$"):
            act(payload)


EDIT = Edit(("messages", 0, "content"), (Text("x"),))

BROKEN: dict[str, Payload] = {
    "role-unknown": request({"role": "bot", "content": "x"}),
    "instructions-mixed": request(
        {"role": "system", "content": "a"}, {"role": "developer", "content": "b"}
    ),
    "call-unanswered": request(assistant(call("a"), call("b")), tool("a"), TASK),
    "call-duplicate": request(assistant(call("a"), call("a")), tool("a")),
    "result-orphan": request(assistant(call("a")), tool("a"), TASK, tool("b")),
    "result-duplicate": request(assistant(call("a")), tool("a"), tool("a")),
    "result-not-text": request(
        assistant(call("a")), tool("a", [{"type": "image_url", "image_url": {"url": "u"}}])
    ),
    "content-missing": request({"role": "assistant", "content": None}),
    "tool-name": request(assistant(call("a", name="x" * 65)), tool("a")),
    "arguments-text": request(assistant(call("a", {"command": "ls"})), tool("a")),
    "tools-empty": request(tools=[]),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_finds_what_breaks_it_and_only_that(rule: str) -> None:
    assert {violation.rule for violation in openai_chat.check(BROKEN[rule])} == {rule}


def test_a_message_between_a_call_and_its_result_breaks_both_rules() -> None:
    found = openai_chat.check(request(assistant(call("a")), TASK, tool("a")))
    assert [v.rule for v in found] == ["call-unanswered", "result-orphan"]


@pytest.mark.parametrize(
    "payload",
    [
        request(assistant(call("a"), call("b")), tool("b"), tool("a")),
        request(assistant(call("0")), tool("0"), assistant(call("0")), tool("0")),
        request({"role": "assistant", "content": "hi"}, {"role": "system", "content": "s"}),
        request({"role": "assistant", "refusal": "no"}),
    ],
)
def test_what_the_api_takes_breaks_no_rule(payload: Payload) -> None:
    assert openai_chat.check(payload) == []
