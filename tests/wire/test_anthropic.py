"""Anthropic Messages: what is read and what is written."""

from __future__ import annotations

from typing import Any

import pytest

from agentctx.errors import WireError
from agentctx.values import Edit, Image, Kind, Payload, Slot, Text
from agentctx.wire import anthropic
from tests.wire.anthropic_blocks import MARKED, assistant, request, result, text, use, user


def kinds(payload: Payload) -> list[tuple[Kind, str]]:
    return [(slot.kind, slot.text) for slot in anthropic.read(payload)]


def test_every_kind_of_block_is_read_in_order() -> None:
    payload = request(
        assistant(
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "redacted_thinking", "data": "x"},
            text("I look"),
            use("a"),
        ),
        user(result("a", [text("one"), {"type": "image", "source": {}}]), text("and?")),
        {"role": "system", "content": "be brief"},
        system=[text("you are"), text("careful")],
    )
    found = kinds(payload)
    assert found[:8] == [
        (Kind.SYSTEM, "you are"),
        (Kind.SYSTEM, "careful"),
        (Kind.USER, "go"),
        (Kind.REASONING, "hm"),
        (Kind.REASONING, ""),
        (Kind.ASSISTANT, "I look"),
        (Kind.TOOL_CALL, '{"command": "ls"}'),
        (Kind.OBSERVATION, "one"),
    ]
    assert found[8][0] is Kind.OPAQUE
    assert found[8][1].startswith("[image ")
    assert found[9:] == [(Kind.USER, "and?"), (Kind.SYSTEM, "be brief")]


def test_an_observation_knows_its_call_and_that_it_failed() -> None:
    payload = request(assistant(use("a"), use("b")), user(result("b", "no", is_error=True)))
    assert anthropic.read(payload)[-1] == Slot(
        path=("messages", 2, "content", 0, "content"),
        kind=Kind.OBSERVATION,
        text="no",
        turn=1,
        tool="bash",
        call_id="b",
        arguments={"command": "ls"},
        is_error=True,
    )


def test_an_orphan_result_is_still_read() -> None:
    (_, slot) = anthropic.read(request(user(result("lost", "text"))))
    assert (slot.kind, slot.call_id, slot.tool) == (Kind.OBSERVATION, "lost", "")


@pytest.mark.parametrize("content", [{}, {"content": None}, {"content": []}])
def test_a_result_without_content_is_a_slot_that_cannot_be_edited(content: dict[str, Any]) -> None:
    result = {"type": "tool_result", "tool_use_id": "a", **content}
    _, slot = anthropic.read(request(user(result)))
    assert (slot.kind, slot.text, slot.call_id) == (Kind.OPAQUE, "", "a")


@pytest.mark.parametrize(
    "block",
    [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [text("page")]},
        {"type": "compaction", "content": "summary"},
        {"type": "tool_result", "tool_use_id": "a", "content": "in the wrong message"},
        {"type": "from_the_future", "text": "words"},
        {"type": "text", "text": None},
        {"no": "type"},
        "a bare string",
        None,
    ],
)
def test_other_blocks_of_the_assistant_are_opaque(block: Any) -> None:
    slot = anthropic.read(request(assistant(block)))[-1]
    assert slot.kind is Kind.OPAQUE
    assert slot.path == ("messages", 1, "content", 0)


def test_neighbours_of_one_role_are_one_turn() -> None:
    payload = request(assistant(text("a")), assistant(text("b")), user(text("c")))
    assert [slot.turn for slot in anthropic.read(payload)] == [0, 1, 1, 1]


def test_an_assistant_message_without_content_still_opens_a_turn() -> None:
    payload = request(assistant(use("a")), user(result("a")), {"role": "assistant", "content": []})
    assert [slot.turn for slot in anthropic.read(payload)] == [0, 1, 1, 2]


def test_two_images_that_differ_have_labels_that_differ() -> None:
    def image(data: str, **fields: Any) -> str:
        block = {"type": "image", "source": {"type": "base64", "data": data}, **fields}
        return anthropic.read(request(user(block)))[-1].text

    assert image("AAAA") == image("AAAA", cache_control={"type": "ephemeral"})
    assert image("AAAA") != image("AAAB")
    assert image("A" * 999) != image("A" * 499 + "B" + "A" * 499)


def test_an_edited_part_keeps_its_marker_and_unknown_fields() -> None:
    part = text("old", cache_control={"type": "ephemeral"}, future=[1])
    payload = request(assistant(use("a")), user(result("a", [part], future=2)))
    path = ("messages", 2, "content", 0, "content", 0)
    written = anthropic.write(payload, [Edit(path, (Text("new"),))])
    assert written["messages"][2]["content"] == [result("a", [{**part, "text": "new"}], future=2)]
    assert written["messages"][1] is payload["messages"][1]


def test_an_image_takes_the_place_of_a_text() -> None:
    payload = request(assistant(use("a")), user(result("a", "long")))
    path = ("messages", 2, "content", 0, "content")
    written = anthropic.write(payload, [Edit(path, (Image(b"\x89PNG"), Text("page 1")))])
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}
    blocks = [{"type": "image", "source": source}, text("page 1")]
    assert written["messages"][2]["content"] == [result("a", blocks)]


def test_a_marker_goes_to_the_last_of_the_pieces_be_it_an_image() -> None:
    payload = request(assistant(use("a")), user(result("a", [MARKED, text("after")])))
    path = ("messages", 2, "content", 0, "content", 0)
    written = anthropic.write(payload, [Edit(path, (Text("page 1"), Image(b"x")))])
    first, image, after = written["messages"][2]["content"][0]["content"]
    assert first == text("page 1")
    assert (image["type"], image["cache_control"]) == ("image", MARKED["cache_control"])
    assert after == text("after")


def test_an_image_in_an_error_is_refused() -> None:
    payload = request(assistant(use("a")), user(result("a", "bad", is_error=True)))
    with pytest.raises(WireError, match="is_error holds only text"):
        anthropic.write(payload, [Edit(("messages", 2, "content", 0, "content"), (Image(b"x"),))])


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ([], "the payload is of type list: pass the request body as a dict"),
        ({}, "'messages' is missing: pass the messages as a list"),
        ({"messages": "hi"}, "'messages' is of type str: pass the messages as a list"),
        (
            {"messages": [], "system": 5},
            "'system' is of type int: pass a string or a list of text parts",
        ),
    ],
)
def test_a_malformed_request_is_a_one_line_error(payload: Any, message: str) -> None:
    with pytest.raises(WireError, match=message):
        anthropic.read(payload)
    with pytest.raises(WireError, match=message):
        anthropic.check(payload)
