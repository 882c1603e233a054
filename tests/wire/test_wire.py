"""Finding the wire of a request, and what a conversation is known by."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from agentctx import wire
from agentctx.errors import WireError
from agentctx.values import Payload

USER = {"role": "user", "content": "go"}
MARK = {"cache_control": {"type": "ephemeral"}}


def chat(*messages: Any, **fields: Any) -> Payload:
    return {"model": "m", "messages": [USER, *messages], **fields}


def key(payload: Payload, name: str = "openai_chat") -> str:
    return wire.prefix_key(wire.get(name).read(payload))


@pytest.mark.parametrize("name", wire.NAMES)
def test_a_wire_is_found_by_its_name(name: str) -> None:
    assert name == wire.get(name).NAME


def test_an_unknown_wire_is_an_error_that_lists_those_there_are() -> None:
    with pytest.raises(WireError, match="'gemini' is no wire: use one of anthropic, openai_chat"):
        wire.get("gemini")


@pytest.mark.parametrize(
    ("payload", "name"),
    [
        (chat(), "openai_chat"),
        (chat({"role": "tool", "tool_call_id": "a", "content": "x"}), "openai_chat"),
        (chat({"role": "assistant", "tool_calls": []}, system="x"), "openai_chat"),
        (chat(tools=[{"type": "function", "function": {"name": "f"}}]), "openai_chat"),
        (chat({"role": "user", "content": [{"type": "image_url"}]}), "openai_chat"),
        (chat(system="you are"), "anthropic"),
        (chat(thinking={"type": "enabled"}), "anthropic"),
        (chat({"role": "user", "content": [{"type": "tool_result"}]}), "anthropic"),
        (chat(tools=[{"name": "f", "input_schema": {}}]), "anthropic"),
        (chat(tools=[{"type": "bash_20250124", "name": "bash"}]), "anthropic"),
        ({"model": "m", "input": "hi"}, "openai_responses"),
        ({"model": "m", "input": [USER]}, "openai_responses"),
        ({"previous_response_id": "r"}, "openai_responses"),
    ],
)
def test_the_wire_of_a_request_is_detected(payload: Payload, name: str) -> None:
    assert wire.detect(payload) == name


@pytest.mark.parametrize("payload", [{}, {"model": "m"}, None, "messages"])
def test_what_is_no_request_has_no_wire(payload: Any) -> None:
    with pytest.raises(WireError, match=": pass "):
        wire.detect(payload)


def test_system_texts_markers_and_part_lists_leave_the_prefix_key_alone() -> None:
    part = {"type": "text", "text": "go", **MARK}
    listed = {"model": "m", "messages": [{"role": "user", "content": [part]}]}
    instructed = {"model": "m", "messages": [{"role": "system", "content": "s"}, USER]}
    assert key(chat()) == key(listed) == key(instructed) == key(chat(), "anthropic")


def test_another_task_or_image_has_another_prefix_key() -> None:
    def pictured(url: str) -> Payload:
        return chat({"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]})

    assert len({key(chat()), key(chat(USER)), key(pictured("a")), key(pictured("b"))}) == 4


def test_nothing_is_fresh_after_a_prefilled_answer() -> None:
    payload = chat(
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]},
    )
    prefilled = chat(*payload["messages"][1:], {"role": "assistant", "content": ""})
    spoken = wire.get("anthropic")
    assert [slot.text for slot in wire.fresh(spoken.read(payload))] == ["x"]
    assert wire.fresh(spoken.read(prefilled)) == ()
    assert wire.fresh(()) == ()


@pytest.mark.parametrize("name", wire.NAMES)
@pytest.mark.parametrize("tools", [None, [], ()])
def test_a_request_without_tools_stays_without(name: str, tools: Any) -> None:
    payload = {**chat(), "tools": tools}
    assert wire.get(name).add_tools(payload, []) is payload
    assert wire.get(name).tool_names(payload) == frozenset()


@pytest.mark.parametrize("name", wire.NAMES)
def test_tools_that_are_no_list_are_an_error(name: str) -> None:
    with pytest.raises(WireError, match="'tools' is of type dict: pass the tools as a list"):
        wire.get(name).tool_names({**chat(), "tools": {"name": "f"}})


def test_importing_the_wires_loads_no_other_package() -> None:
    code = (
        "import sys; from agentctx import wire; [wire.get(n) for n in wire.NAMES];"
        "print(sorted({'pydantic', 'sqlalchemy', 'openai', 'anthropic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
