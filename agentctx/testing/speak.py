"""How each provider writes a reply: whole, and as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

from agentctx.testing.script import Part, Reply, Thinking, chat_call, chat_message
from agentctx.values import Payload, ToolCall, Usage

Event: TypeAlias = tuple[str, dict[str, Any]]
"""The name of a server-sent event ("" for none) and its data."""


def pieces(text: str, size: int) -> Iterator[str]:
    """Yield `text` in the pieces that a stream delivers it in."""
    for start in range(0, len(text), size):
        yield text[start : start + size]


def chat_usage(usage: Usage) -> dict[str, Any]:
    """Return `usage` as Chat Completions reports it."""
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
    }


def _chat_head(reply_id: str, payload: Payload, kind: str) -> dict[str, Any]:
    model = str(payload.get("model", "scripted"))
    return {"id": f"chatcmpl-{reply_id}", "object": kind, "created": 1, "model": model}


def _chat_stop(reply: Reply) -> str:
    return reply.stop or ("tool_calls" if reply.calls else "stop")


def chat(reply: Reply, usage: Usage, reply_id: str, payload: Payload) -> dict[str, Any]:
    """Return a chat.completion."""
    choice = {"index": 0, "message": chat_message(reply), "finish_reason": _chat_stop(reply)}
    head = _chat_head(reply_id, payload, "chat.completion")
    return {**head, "choices": [{**choice, "logprobs": None}], "usage": chat_usage(usage)}


def _chat_deltas(reply: Reply) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    index = 0
    for part in reply.parts:
        if isinstance(part, str):
            yield from ({"content": piece} for piece in pieces(part, reply.piece))
        elif isinstance(part, ToolCall):
            whole = chat_call(part)
            arguments = whole["function"]["arguments"]
            first = {**whole, "index": index, "function": {"name": part.name, "arguments": ""}}
            yield {"tool_calls": [first]}
            for piece in pieces(arguments, reply.piece):
                yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            index += 1


def chat_events(reply: Reply, usage: Usage, reply_id: str, payload: Payload) -> Iterator[Event]:
    """Yield the chunks of a streamed chat completion."""
    head = _chat_head(reply_id, payload, "chat.completion.chunk")
    for delta in _chat_deltas(reply):
        yield "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield "", {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _chat_stop(reply)}]}
    if (payload.get("stream_options") or {}).get("include_usage"):
        yield "", {**head, "choices": [], "usage": chat_usage(usage)}


def _block(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, Thinking):
        return {"type": "thinking", "thinking": part.text, "signature": part.signature}
    return {"type": "tool_use", "id": part.id, "name": part.name, "input": dict(part.arguments)}


def message(reply: Reply, usage: Usage, reply_id: str, payload: Payload) -> dict[str, Any]:
    """Return an Anthropic message."""
    return {
        "id": f"msg_{reply_id}",
        "type": "message",
        "role": "assistant",
        "model": str(payload.get("model", "scripted")),
        "content": [_block(part) for part in reply.parts],
        "stop_reason": reply.stop or ("tool_use" if reply.calls else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.input,
            "cache_read_input_tokens": usage.cache_read,
            "cache_creation_input_tokens": usage.cache_write + usage.cache_write_1h,
            "output_tokens": usage.output,
        },
    }


def _block_deltas(part: Part, size: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    block = _block(part)
    if isinstance(part, str):
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(part, size)]
        return {**block, "text": ""}, deltas
    if isinstance(part, Thinking):
        deltas = [
            {"type": "thinking_delta", "thinking": piece} for piece in pieces(part.text, size)
        ]
        signature = {"type": "signature_delta", "signature": part.signature}
        return {**block, "thinking": "", "signature": ""}, [*deltas, signature]
    text = json.dumps(block["input"]) if block["input"] else ""
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces(text, size)]
    return {**block, "input": {}}, deltas


def message_events(reply: Reply, usage: Usage, reply_id: str, payload: Payload) -> Iterator[Event]:
    """Yield the events of a streamed Anthropic message."""
    whole = message(reply, usage, reply_id, payload)
    total = whole["usage"]
    opening = {
        **whole,
        "content": [],
        "stop_reason": None,
        "usage": {**total, "output_tokens": 1},
    }
    yield named({"type": "message_start", "message": opening})
    yield named({"type": "ping"})
    for index, part in enumerate(reply.parts):
        start, deltas = _block_deltas(part, reply.piece)
        yield named({"type": "content_block_start", "index": index, "content_block": start})
        for delta in deltas:
            yield named({"type": "content_block_delta", "index": index, "delta": delta})
        yield named({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    counts = {"output_tokens": total["output_tokens"]}
    yield named({"type": "message_delta", "delta": stop, "usage": counts})
    yield named({"type": "message_stop"})


def named(data: dict[str, Any]) -> Event:
    """Return an event that carries its name in its data too."""
    return data["type"], data
