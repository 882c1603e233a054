"""Anthropic Messages: replies read, stripped and answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentctx.values import Payload, ToolCall, Usage
from agentctx.wire.views import parse, string
from agentctx.wrap.anthropic_stream import MessageWeaver
from agentctx.wrap.shape import field, plain, put
from agentctx.wrap.spoken import Answer, Item, Spoken, Weaver

KEY = "messages"
CUT = frozenset({"max_tokens", "model_context_window_exceeded", "pause_turn", "refusal"})
"""The reasons to stop that leave a turn incomplete."""

_NO_MARKER = frozenset({"thinking", "redacted_thinking"})


def by_model(item: Item) -> bool:
    """Say whether the model made this message."""
    return item.get("role") == "assistant"


def spoken(reply: Any) -> Spoken:
    """Return what a message says, every block as it came."""
    blocks = [plain(block) for block in field(reply, "content") or ()]
    return said(
        blocks,
        usage=field(reply, "usage"),
        stop=field(reply, "stop_reason"),
        reply=reply,
    )


def said(blocks: Sequence[Item], *, usage: Any, stop: Any, reply: Any) -> Spoken:
    """Return a turn of these blocks; empty text, which no request may hold, is left out."""
    content = [block for block in blocks if block.get("type") != "text" or block.get("text")]
    return Spoken(
        items=({"role": "assistant", "content": content},),
        calls=tuple(_call(block) for block in content if block.get("type") == "tool_use"),
        usage=tokens(usage),
        whole=stop not in CUT,
        id=string(field(reply, "id")),
        model=string(field(reply, "model")),
    )


def without(reply: Any, hidden: frozenset[str]) -> Any:
    """Return the message without those calls."""
    left = [block for block in field(reply, "content") if not _is_call(block, hidden)]
    stop = field(reply, "stop_reason")
    called = any(field(block, "type") == "tool_use" for block in left)
    ending = "end_turn" if stop == "tool_use" and not called else stop
    return put(reply, content=left, stop_reason=ending)


def bare(items: Sequence[Item], hidden: frozenset[str]) -> tuple[Item, ...]:
    """Return a turn without those calls."""
    return tuple(
        {**item, "content": [b for b in item["content"] if not _is_call(b, hidden)]}
        for item in items
    )


def results(answers: Sequence[Answer]) -> tuple[Item, ...]:
    """Return one user message with a result for each call."""
    blocks = [
        {"type": "tool_result", "tool_use_id": call.id, "content": text} for call, text in answers
    ]
    return ({"role": "user", "content": blocks},) if blocks else ()


def extend(payload: Payload, said: Spoken, answers: Sequence[Item]) -> Payload:
    """Return the request with the turn and its results at the end."""
    return {**payload, KEY: [*payload[KEY], *said.items, *answers]}


def before(answers: Sequence[Item], rest: Sequence[Item]) -> list[Item]:
    """Return the caller's next messages with our results first in the one after the turn.

    All results of a turn stand in one user message; a system message may come before it.
    """
    if not answers:
        return list(rest)
    [ours] = answers
    for index, message in enumerate(rest):
        if message.get("role") == "user":
            content = [*ours["content"], *_blocks(message.get("content"))]
            return [*rest[:index], {**message, "content": content}, *rest[index + 1 :]]
        if message.get("role") != "system":
            break
    return [ours, *rest]


def like(turn: Sequence[Item], given: Sequence[Item]) -> Sequence[Item]:
    """Return the turn with the last cache marker that the caller set in its own copy."""
    markers = [
        block["cache_control"]
        for message in given
        for block in _blocks(message.get("content"))
        if isinstance(block, Mapping) and block.get("cache_control")
    ]
    if not markers:
        return turn
    *earlier, last = turn
    content = list(last["content"])
    for index in reversed(range(len(content))):
        if content[index].get("type") not in _NO_MARKER:
            content[index] = {**content[index], "cache_control": markers[-1]}
            break
    return [*earlier, {**last, "content": content}]


def weaver(hidden: frozenset[str]) -> Weaver:
    """Return what hides the calls of these tools in a stream."""
    return MessageWeaver(hidden, said)


def tokens(report: Any) -> Usage:
    """Return a usage report as tokens: fresh, read and written."""
    written = field(report, "cache_creation_input_tokens") or 0
    long = field(report, "cache_creation", "ephemeral_1h_input_tokens") or 0
    return Usage(
        input=field(report, "input_tokens") or 0,
        cache_read=field(report, "cache_read_input_tokens") or 0,
        cache_write=max(written - long, 0),
        cache_write_1h=long,
        output=field(report, "output_tokens") or 0,
    )


def _call(block: Item) -> ToolCall:
    return ToolCall(
        id=string(block.get("id")),
        name=string(block.get("name")),
        arguments=parse(block.get("input")) or {},
    )


def _is_call(block: Any, hidden: frozenset[str]) -> bool:
    return field(block, "type") == "tool_use" and field(block, "id") in hidden


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or ())
