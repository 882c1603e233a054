"""OpenAI Responses: what is read, and one violation for each rule."""

from __future__ import annotations

from typing import Any

import pytest

from agentctx.errors import WireError
from agentctx.values import Edit, Image, Kind, Payload, Slot, Text
from agentctx.wire import fresh, openai_responses

Json = dict[str, Any]

TASK = {"role": "user", "content": "go"}
THOUGHT = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"}


def call(call_id: str, arguments: Any = '{"command": "ls"}', name: str = "bash") -> Json:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}


def output(call_id: str, content: Any = "done", kind: str = "function_call_output") -> Json:
    return {"type": kind, "call_id": call_id, "output": content}


def said(text: str) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "content": content}


def request(*items: Json, **fields: Any) -> Payload:
    return {"model": "m", "input": [TASK, *items], **fields}


def last(*items: Json) -> Slot:
    return openai_responses.read(request(*items))[-1]


def test_every_kind_of_item_is_read_in_order() -> None:
    thought = {**THOUGHT, "summary": [{"type": "summary_text", "text": "hm"}]}
    payload = request(
        thought,
        said("I look"),
        call("a"),
        output("a", [{"type": "input_text", "text": "one"}, {"type": "input_image"}]),
        {"role": "developer", "content": "be brief"},
        {"type": "compaction", "encrypted_content": "x"},
        instructions="rules",
    )
    slots = openai_responses.read(payload)
    assert [(slot.kind, slot.text) for slot in slots if slot.kind is not Kind.OPAQUE] == [
        (Kind.SYSTEM, "rules"),
        (Kind.USER, "go"),
        (Kind.REASONING, "hm"),
        (Kind.ASSISTANT, "I look"),
        (Kind.TOOL_CALL, '{"command": "ls"}'),
        (Kind.OBSERVATION, "one"),
        (Kind.SYSTEM, "be brief"),
    ]
    assert [slot.turn for slot in slots] == [0, 0, 1, 1, 1, 1, 1, 1, 2]


def test_an_observation_knows_its_call() -> None:
    assert last(call("a"), call("b"), output("b", "x")) == Slot(
        path=("input", 3, "output"),
        kind=Kind.OBSERVATION,
        text="x",
        turn=1,
        tool="bash",
        call_id="b",
        arguments={"command": "ls"},
    )


def test_a_string_is_the_users() -> None:
    (slot,) = openai_responses.read({"input": "hi"})
    assert (slot.path, slot.kind) == (("input",), Kind.USER)


def test_a_shell_call_shows_both_streams_and_whether_it_failed() -> None:
    action = {"commands": ["make"]}
    chunk = {"stdout": "out", "stderr": "err", "outcome": {"type": "exit", "exit_code": 2}}
    shell = {"type": "shell_call", "call_id": "a", "action": action}
    payload = request(shell, output("a", [chunk], "shell_call_output"))
    out, err = openai_responses.read(payload)[-2:]
    assert (out.text, err.text) == ("out", "err")
    assert (err.tool, err.arguments, err.is_error) == ("shell", action, True)
    written = openai_responses.write(payload, [Edit(out.path, (Text("short"),))])
    assert written["input"][2]["output"] == [{**chunk, "stdout": "short"}]
    with pytest.raises(WireError, match="holds one text there"):
        openai_responses.write(payload, [Edit(out.path, (Text("a"), Text("b")))])


def test_a_patch_that_failed_is_an_error() -> None:
    patch = {"type": "apply_patch_call", "call_id": "a", "operation": {"path": "a.py"}}
    slot = last(patch, output("a", "no hunk", "apply_patch_call_output") | {"status": "failed"})
    assert (slot.kind, slot.tool, slot.is_error) == (Kind.OBSERVATION, "apply_patch", True)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "item_reference", "id": "msg_1"},
        {"type": "web_search_call", "id": "ws"},
        {"type": "mcp_call", "output": "text"},
        {"type": "computer_call_output", "call_id": "c", "output": {}},
        {"type": "local_shell_call_output", "id": "l", "output": "{}"},
        {"type": "from_the_future"},
        {"role": "narrator", "content": "x"},
        "a bare string",
        None,
    ],
)
def test_other_items_are_opaque(item: Any) -> None:
    slot = last(item)
    assert (slot.kind, slot.path) == (Kind.OPAQUE, ("input", 1))


def test_an_unknown_item_counts_as_said_so_that_nothing_before_it_is_fresh() -> None:
    slots = openai_responses.read(request(call("a"), output("a"), {"type": "from_the_future"}))
    assert fresh(slots) == ()


def test_outputs_alone_are_fresh_when_the_server_holds_the_history() -> None:
    payload = {"previous_response_id": "r", "input": [output("a")]}
    assert [slot.text for slot in fresh(openai_responses.read(payload))] == ["done"]
    assert openai_responses.check(payload) == []


def test_an_image_takes_the_place_of_a_text() -> None:
    payload = request(call("a"), output("a"))
    written = openai_responses.write(
        payload, [Edit(("input", 2, "output"), (Image(b"\x89PNG"), Text("page 1")))]
    )
    assert written["input"][2]["output"] == [
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw==", "detail": "auto"},
        {"type": "input_text", "text": "page 1"},
    ]


def test_tools_in_a_namespace_are_named_too() -> None:
    inner = {"type": "function", "name": "find"}
    tools = [{"type": "web_search"}, {"type": "namespace", "name": "crm", "tools": [inner]}]
    assert openai_responses.tool_names(request(tools=tools)) == {"find"}


@pytest.mark.parametrize(
    "payload", ["x", {}, {"input": 5}, {"input": [], "instructions": {"a": 1}}]
)
def test_a_malformed_request_is_a_one_line_error(payload: Any) -> None:
    for act in (openai_responses.read, openai_responses.check):
        with pytest.raises(WireError, match=r"^[^\n]+: pass [^\n]+$"):
            act(payload)


BROKEN: dict[str, Payload] = {
    "role-unknown": request({"role": "tool", "content": "x"}),
    "item-type": request({"text": "x"}),
    "call-unanswered": request(call("a"), call("b"), output("a")),
    "call-duplicate": request(call("a"), call("a"), output("a")),
    "result-orphan": request(output("a")),
    "result-duplicate": request(call("a"), output("a"), output("a")),
    "reasoning-detached": request(said("hi"), THOUGHT, TASK),
    "reasoning-unstored": request({**THOUGHT, "encrypted_content": None}, said("x"), store=False),
    "content-missing": request({"role": "user"}),
    "message-part": request({"role": "user", "content": [{"type": "output_text", "text": "x"}]}),
    "output-missing": request(call("a"), output("a", None)),
    "result-part": request(call("a"), output("a", [{"type": "text", "text": "x"}])),
    "tool-name": request(tools=[{"type": "function", "name": "a b"}]),
    "arguments-text": request(call("a", {}), output("a")),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_finds_what_breaks_it_and_only_that(rule: str) -> None:
    assert {violation.rule for violation in openai_responses.check(BROKEN[rule])} == {rule}


def test_an_output_before_its_call_is_an_orphan() -> None:
    assert [v.rule for v in openai_responses.check(request(output("a"), call("a")))] == [
        "result-orphan"
    ]


def test_an_output_of_another_kind_answers_no_call() -> None:
    found = openai_responses.check(request(call("a"), output("a", kind="custom_tool_call_output")))
    assert {v.rule for v in found} == {"call-unanswered", "result-orphan"}


@pytest.mark.parametrize(
    "payload",
    [
        {"input": "hi"},
        request(call("a"), output("a"), call("b"), output("b")),
        request(call("a"), call("b"), output("b"), output("a")),
        request({"type": "item_reference", "id": "fc_1"}, output("a")),
        request(THOUGHT, {**THOUGHT, "id": "rs2"}, call("a"), output("a"), store=False),
        request(
            {"type": "local_shell_call", "call_id": "a", "id": "l", "action": {}},
            {"type": "local_shell_call_output", "id": "a", "output": "{}"},
        ),
    ],
)
def test_what_the_api_takes_breaks_no_rule(payload: Payload) -> None:
    assert openai_responses.check(payload) == []
