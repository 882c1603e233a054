from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentctx.config import Settings
from agentctx.stores import Stores
from agentctx.values import ToolCall
from agentctx.wire import get
from agentctx.wrap import anthropic, openai_chat, openai_responses
from agentctx.wrap.history import Splice, complete, key_after, turns
from agentctx.wrap.store import Splices

CHAT, ANTHROPIC = get("openai_chat"), get("anthropic")


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any, *calls: str) -> dict[str, Any]:
    made = [
        {"id": each, "type": "function", "function": {"name": "bash", "arguments": '{"a": 1}'}}
        for each in calls
    ]
    return {"role": "assistant", "content": content, **({"tool_calls": made} if made else {})}


def chat_keys(*messages: Any) -> list[str]:
    return [turn.key for turn in turns({"messages": list(messages)}, CHAT, openai_chat)]


def anthropic_keys(*messages: Any, **more: Any) -> list[str]:
    payload = {"messages": list(messages), **more}
    return [turn.key for turn in turns(payload, ANTHROPIC, anthropic)]


def test_each_turn_of_the_model_has_a_key_of_its_own():
    found = turns(
        {"messages": [user("a"), assistant("x"), user("a"), assistant("x")]}, CHAT, openai_chat
    )
    assert [(turn.start, turn.end) for turn in found] == [(1, 2), (3, 4)]
    assert found[0].key != found[1].key


def test_the_spelling_of_a_history_does_not_change_its_keys():
    plain = anthropic_keys(user("hi"), assistant("yes"), user("so?"))
    marker = {"cache_control": {"type": "ephemeral"}}
    spelled = anthropic_keys(
        user([{"type": "text", "text": "hi", **marker}]),
        assistant([{"type": "thinking", "thinking": "hm", "signature": "s"}, text("yes ")]),
        user("other"),
        system="Be brief.",
    )
    assert plain == spelled


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


def test_joining_the_parts_of_a_turn_does_not_change_its_key():
    assert anthropic_keys(user("hi"), assistant([text("a"), text("b")])) == anthropic_keys(
        user("hi"), assistant("ab")
    )


def test_the_spelling_of_arguments_does_not_change_a_key():
    spaced = assistant(None, "c1")
    tight = json.loads(json.dumps(spaced).replace('\\"a\\": 1', '\\"a\\":1'))
    assert spaced != tight
    assert chat_keys(user("hi"), spaced) == chat_keys(user("hi"), tight)


@given(st.integers(0, 4), st.sampled_from(["text", "id"]))
def test_a_change_of_what_was_said_changes_all_keys_from_there_on(place, what):
    history = [user("a"), assistant("b", "c1"), tool("c1", "x"), assistant("c"), user("d")]
    changed = [dict(message) for message in history]
    changed[place]["content"] = "other"
    if what == "id" and place == 1:
        changed[place] = assistant("b", "c2")
    same = [
        one == other for one, other in zip(chat_keys(*history), chat_keys(*changed), strict=True)
    ]
    assert same == [place > 1, place > 3]


def tool(call_id: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def test_the_key_of_a_reply_is_that_of_its_turn_when_it_comes_back():
    asked = {"messages": [user("a"), assistant("b"), user("c")]}
    [reply] = [assistant("d", "c9")]
    key = key_after(asked, [reply], CHAT, openai_chat)
    assert chat_keys(*asked["messages"], reply, tool("c9", "x"))[-1] == key


def test_a_text_as_input_counts_as_a_users_message():
    wire = get("openai_responses")
    answer = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "b"}],
    }
    key = key_after({"input": "a"}, [answer], wire, openai_responses)
    [turn] = turns({"input": [user("a"), answer]}, wire, openai_responses)
    assert turn.key == key


def test_completing_without_splices_returns_the_same_object():
    payload = {"messages": [user("a"), assistant("b")]}
    assert complete(payload, turns(payload, CHAT, openai_chat), {}, openai_chat) is payload


def test_results_stand_first_in_the_message_after_the_turn():
    ours = anthropic.results([(call("c1"), "page")])
    caller = user([{"type": "tool_result", "tool_use_id": "c2", "content": "x"}])
    middle = {"role": "system", "content": "note"}
    assert anthropic.before(ours, [middle, caller]) == [
        middle,
        user([*ours[0]["content"], *caller["content"]]),
    ]
    assert anthropic.before(ours, [user("go on")]) == [user([*ours[0]["content"], text("go on")])]
    assert anthropic.before(ours, []) == list(ours)


def call(call_id: str) -> ToolCall:
    return ToolCall(id=call_id, name="expand", arguments={})


SPLICE = Splice(
    before=({"role": "assistant", "content": "\ud800 é"},),
    results=({"role": "tool", "content": "x"},),
    link="resp_1",
)


def test_a_splice_survives_a_restart_and_the_first_for_a_key_stands(tmp_path: Path):
    Splices(Stores(Settings(data=tmp_path))).put("k", SPLICE)
    again = Splices(Stores(Settings(data=tmp_path)))
    assert again.any()
    again.put("k", Splice(link="other"))
    fresh = Splices(Stores(Settings(data=tmp_path)))
    assert fresh.find(["k", "unknown"]) == {"k": SPLICE}


def test_many_keys_are_looked_up_at_once(tmp_path: Path):
    splices = Splices(Stores(Settings(data=tmp_path)))
    splices.put("k1200", SPLICE)
    fresh = Splices(Stores(Settings(data=tmp_path)))
    assert list(fresh.find([f"k{n}" for n in range(2000)])) == ["k1200"]


def test_without_a_disk_splices_hold_while_the_process_lives(tmp_path: Path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    stores = Stores(Settings(data=blocked / "data"))
    splices = Splices(stores)
    assert not splices.any()
    splices.put("k", SPLICE)
    assert splices.find(["k"]) == {"k": SPLICE}
    assert {event.kind for event in stores.events.recent} == {"splice-failed"}
