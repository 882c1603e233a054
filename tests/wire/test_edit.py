"""Edits that cannot be made say why in one line."""

from __future__ import annotations

import pytest

from agentctx.errors import WireError
from agentctx.values import Edit, Path, Payload, Text
from agentctx.wire import openai_chat

PLACE: Path = ("messages", 2, "content")


def request() -> Payload:
    function = {"name": "bash", "arguments": "{}"}
    call = {"id": "a", "type": "function", "function": function}
    return {
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": "done"},
        ]
    }


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        (
            [Edit(("messages", 9, "content"), (Text("x"),))],
            r"\[9\].* does not exist: take the path",
        ),
        ([Edit(("messages", 2, "role"), (Text("x"),))], "does not exist"),
        ([Edit((), (Text("x"),))], "payload does not exist"),
        ([Edit(("messages", 0, "content"), (Text("x"),))], "is 'user': only an observation"),
        ([Edit(PLACE, ())], "would become empty: give it text"),
        ([Edit(PLACE, (Text(""),))], "would become empty"),
        ([Edit(PLACE, (Text("x"), Text(" \n")))], "would become empty"),
        ([Edit(PLACE, (Text("x"),)), Edit(PLACE, (Text("x"),))], "is edited twice: merge"),
    ],
)
def test_a_bad_edit_is_refused(edits: list[Edit], message: str) -> None:
    payload = request()
    with pytest.raises(WireError, match=message) as caught:
        openai_chat.write(payload, edits)
    assert "\n" not in str(caught.value)
    assert payload == request()


def test_a_refused_edit_leaves_the_good_ones_unmade() -> None:
    payload = request()
    with pytest.raises(WireError):
        openai_chat.write(payload, [Edit(PLACE, (Text("x"),)), Edit(("no",), (Text("x"),))])
    assert payload == request()


def test_messages_in_a_tuple_stay_one() -> None:
    payload = {**request(), "messages": tuple(request()["messages"])}
    written = openai_chat.write(payload, [Edit(PLACE, (Text("new"),))])
    assert written["messages"] == (*payload["messages"][:2], payload["messages"][2] | NEW)


NEW = {"content": "new"}
