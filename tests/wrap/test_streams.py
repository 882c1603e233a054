from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.testing import Reply, Thinking
from agentctx.testing.speak import chat, chat_events, message, message_events
from agentctx.testing.speak_responses import response, response_events
from agentctx.values import ToolCall, Usage
from agentctx.wrap import anthropic, openai_chat, openai_responses

OURS = frozenset({"expand", "expand_text"})
NAMES = ["expand", "expand_text", "expander", "bash"]
STEMS = ["exp", "e", "expand_"]
"""Names that may still become ours: their first fragment waits for the second."""
DIALECTS = {
    "anthropic": anthropic,
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
}
EVENTS = {
    "anthropic": message_events,
    "openai_chat": chat_events,
    "openai_responses": response_events,
}
WHOLE = {"anthropic": message, "openai_chat": chat, "openai_responses": response}
PAYLOAD = {"model": "m", "stream_options": {"include_usage": True}}

texts = st.text(min_size=1, max_size=40)
calls = st.builds(
    ToolCall,
    id=st.uuids().map(str),
    name=st.sampled_from(NAMES),
    arguments=st.dictionaries(texts, texts | st.integers(), max_size=3),
)
parts = st.lists(texts | calls | st.builds(Thinking, texts), max_size=6)
usages = st.builds(
    Usage,
    input=st.integers(0, 1000),
    cache_read=st.integers(0, 1000),
    output=st.integers(0, 1000),
)
replies = st.builds(Reply, parts=parts.map(tuple), usage=usages, piece=st.integers(1, 30))
turns = st.lists(replies, min_size=1, max_size=4)
every_wire = pytest.mark.parametrize("name", DIALECTS)


def events(name: str, reply: Reply, number: int = 0) -> list[dict[str, Any]]:
    made = EVENTS[name](reply, reply.usage or Usage(), f"{number:02d}", PAYLOAD)
    return [data for kind, data in made if kind != "ping" or number == 0]


def theirs(*rounds: Reply) -> tuple[Any, ...]:
    """The parts that are not for us, of all rounds."""
    return tuple(
        part
        for reply in rounds
        for part in reply.parts
        if not (isinstance(part, ToolCall) and part.name in OURS)
    )


def woven(name: str, rounds: list[Reply]) -> list[dict[str, Any]]:
    """The stream that a caller sees when all rounds but the last are answered inside."""
    weaver = DIALECTS[name].weaver(OURS)
    seen: list[dict[str, Any]] = []
    for number, reply in enumerate(rounds):
        for event in events(name, reply, number):
            seen += weaver.feed(event)
        if number < len(rounds) - 1:
            weaver.resume()
    return seen + weaver.finish()


def answered(rounds: list[Reply]) -> list[Reply]:
    """The rounds as they come about: one with a call of the caller's ends the turn."""
    for number, reply in enumerate(rounds):
        ours = [call for call in reply.calls if call.name in OURS]
        if not ours or len(ours) < len(reply.calls):
            return rounds[: number + 1]
    return rounds


def without(value: Any, *names: str) -> Any:
    """`value` less what differs between two streams of the same content."""
    if isinstance(value, dict):
        return {k: without(v, *names) for k, v in value.items() if k not in names}
    return [without(v, *names) for v in value] if isinstance(value, list) else value


@every_wire
@given(turns)
def test_the_callers_stream_is_the_whole_less_our_blocks(name, rounds):
    rounds = answered(rounds)
    shown = theirs(*rounds)
    size = rounds[0].piece
    same = [Reply(parts=r.parts, usage=r.usage, piece=size) for r in rounds]
    expected = events(name, Reply(parts=shown, piece=size))
    seen = woven(name, same)
    if name == "openai_responses":
        expected, seen = (
            without(each, "item_id", "id", "sequence_number") for each in (expected, seen)
        )
    assert without(seen, "usage") == without(expected, "usage")


@every_wire
@given(turns)
def test_a_stream_without_our_blocks_is_passed_on_as_it_is(name, rounds):
    reply = Reply(parts=theirs(*rounds), usage=rounds[0].usage, piece=rounds[0].piece)
    given_events = events(name, reply)
    weaver = DIALECTS[name].weaver(OURS)
    seen = [out for event in given_events for out in weaver.feed(event)] + weaver.finish()
    assert len(seen) == len(given_events)
    assert all(one is other for one, other in zip(seen, given_events, strict=True))


@every_wire
@given(turns)
def test_the_turn_that_is_rebuilt_is_the_one_that_was_said(name, rounds):
    weaver = DIALECTS[name].weaver(OURS)
    for number, reply in enumerate(answered(rounds)):
        for event in events(name, reply, number):
            weaver.feed(event)
        made = WHOLE[name](reply, reply.usage, f"{number:02d}", PAYLOAD)
        assert weaver.spoken() == DIALECTS[name].spoken(made)
        weaver.resume()


@every_wire
@given(turns)
def test_the_usage_of_a_stream_is_that_of_all_its_rounds(name, rounds):
    rounds = answered(rounds)
    seen = woven(name, rounds)
    total = sum(reply.usage.output for reply in rounds)
    prompt = sum(reply.usage.prompt for reply in rounds)
    if name == "openai_chat":
        report = seen[-1]["usage"]
        assert (report["prompt_tokens"], report["completion_tokens"]) == (prompt, total)
    elif name == "openai_responses":
        report = seen[-1]["response"]["usage"]
        assert (report["input_tokens"], report["output_tokens"]) == (prompt, total)
    else:
        start, [delta] = (
            seen[0]["message"]["usage"],
            [event["usage"] for event in seen if event["type"] == "message_delta"],
        )
        merged = {**start, **delta}
        assert merged["input_tokens"] + merged["cache_read_input_tokens"] == prompt
        assert merged["output_tokens"] == total


@given(turns)
def test_responses_are_numbered_without_gaps_and_keep_their_id(rounds):
    seen = woven("openai_responses", answered(rounds))
    assert [event["sequence_number"] for event in seen] == list(range(len(seen)))
    assert {event["response"]["id"] for event in seen if "response" in event} == {"resp_00"}


def merged(chunks: list[dict[str, Any]], joins: list[bool]) -> list[dict[str, Any]]:
    """The same completion in fewer chunks, as hosts send it that emit several tokens at once."""
    made: list[dict[str, Any]] = []
    for chunk, join in zip(chunks, joins, strict=False):
        if join and made and made[-1]["choices"] and chunk["choices"]:
            [old], [new] = made[-1]["choices"], chunk["choices"]
            delta = dict(old["delta"])
            for key, value in new["delta"].items():
                delta[key] = delta[key] + value if delta.get(key) else value
            choice = {**old, "delta": delta, "finish_reason": new["finish_reason"]}
            made[-1] = {**made[-1], "choices": [choice]}
        else:
            made.append(chunk)
    return made


def assembled(chunks: list[dict[str, Any]]) -> tuple[str, list[Any], list[str]]:
    text, made, stops = "", {}, []
    for chunk in chunks:
        for choice in chunk["choices"]:
            text += choice["delta"].get("content") or ""
            for piece in choice["delta"].get("tool_calls") or ():
                call = made.setdefault(piece["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] += piece.get("id") or ""
                for key in ("name", "arguments"):
                    call[key] += piece["function"].get(key) or ""
            stops += [choice["finish_reason"]] if choice["finish_reason"] else []
    assert sorted(made) == list(range(len(made)))
    return text, [made[index] for index in sorted(made)], stops


@given(replies, st.lists(st.booleans(), min_size=400, max_size=400))
def test_chunks_may_hold_several_fragments(reply, joins):
    chunks = events("openai_chat", reply)
    chunks = [*merged(chunks[:399], joins), *chunks[399:]]
    weaver = openai_chat.weaver(OURS)
    seen = [out for chunk in chunks for out in weaver.feed(chunk)] + weaver.finish()
    shown = theirs(reply)
    text, made, stops = assembled(seen)
    called = [part for part in shown if isinstance(part, ToolCall)]
    assert text == "".join(part for part in shown if isinstance(part, str))
    assert made == [
        {"id": c.id, "name": c.name, "arguments": json.dumps(dict(c.arguments))} for c in called
    ]
    assert stops == ["tool_calls" if called else "stop"]


@given(st.sampled_from([*NAMES, *STEMS]), st.integers(1, 4))
def test_a_name_may_come_in_fragments(name, size):
    fragments = [name[i : i + size] for i in range(0, len(name), size)]
    pieces = [{"index": 0, "id": "c1", "function": {"name": fragments[0]}}]
    pieces += [{"index": 0, "function": {"name": more}} for more in fragments[1:]]
    pieces += [{"index": 0, "function": {"arguments": "{}"}}]
    chunks = [
        {"choices": [{"delta": {"tool_calls": [piece]}, "finish_reason": None}]} for piece in pieces
    ]
    chunks.append({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
    weaver = openai_chat.weaver(OURS)
    seen = [out for chunk in chunks for out in weaver.feed(chunk)] + weaver.finish()
    _, made, _ = assembled(seen)
    assert [call["name"] for call in made] == [name] * (name not in OURS)
    assert [call.name for call in weaver.spoken().calls] == [name]


@every_wire
def test_the_arguments_of_a_call_of_ours_are_kept_only_to_a_bound(name):
    huge = ToolCall(id="c", name="expand", arguments={"handle": "a" * (1 << 21)})
    weaver = DIALECTS[name].weaver(OURS)
    for event in events(name, Reply(parts=(huge,), piece=1 << 16)):
        weaver.feed(event)
    [made] = weaver.spoken().calls
    if name != "openai_responses":  # its last event holds the whole item whatever we keep
        assert made.arguments == {}
        assert len(str(weaver.spoken().items)) < 1000
