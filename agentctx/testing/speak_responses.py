"""How the OpenAI Responses API writes a reply: whole, and as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentctx.testing.script import Part, Reply, Thinking
from agentctx.testing.speak import Event, named, pieces
from agentctx.values import Payload, Usage


def _item(part: Part, item_id: str) -> dict[str, Any]:
    if isinstance(part, str):
        content = [{"type": "output_text", "text": part, "annotations": []}]
        head = {"id": f"msg_{item_id}", "type": "message", "role": "assistant"}
        return {**head, "status": "completed", "content": content}
    if isinstance(part, Thinking):
        sealed = {"summary": [], "encrypted_content": part.signature}
        return {"id": f"rs_{item_id}", "type": "reasoning", **sealed}
    return {
        "id": f"fc_{item_id}",
        "type": "function_call",
        "call_id": part.id,
        "name": part.name,
        "arguments": json.dumps(dict(part.arguments)),
        "status": "completed",
    }


def response(reply: Reply, usage: Usage, reply_id: str, payload: Payload) -> dict[str, Any]:
    """Return a response object."""
    return {
        "id": f"resp_{reply_id}",
        "object": "response",
        "created_at": 1,
        "status": "incomplete" if reply.stop else "completed",
        "model": str(payload.get("model", "scripted")),
        "output": [_item(part, f"{reply_id}{n}") for n, part in enumerate(reply.parts)],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": payload.get("tools", []),
        "usage": {
            "input_tokens": usage.prompt,
            "input_tokens_details": {"cached_tokens": usage.cache_read},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.prompt + usage.output,
        },
    }


def _item_events(item: dict[str, Any], index: int, size: int) -> Iterator[dict[str, Any]]:
    place = {"output_index": index, "item_id": item["id"]}
    opening = {**item, "status": "in_progress"}
    if item["type"] == "message":
        opening["content"] = []
    elif item["type"] == "function_call":
        opening["arguments"] = ""
    yield {"type": "response.output_item.added", "output_index": index, "item": opening}
    if item["type"] == "message":
        yield from _text_events(item["content"][0], {**place, "content_index": 0}, size)
    elif item["type"] == "function_call":
        kind = "response.function_call_arguments"
        for piece in pieces(item["arguments"], size):
            yield {"type": f"{kind}.delta", **place, "delta": piece}
        done = {"arguments": item["arguments"], "name": item["name"]}
        yield {"type": f"{kind}.done", **place, **done}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _text_events(
    part: dict[str, Any], place: dict[str, Any], size: int
) -> Iterator[dict[str, Any]]:
    yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
    for piece in pieces(part["text"], size):
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    done = {"text": part["text"], "logprobs": []}
    yield {"type": "response.output_text.done", **place, **done}
    yield {"type": "response.content_part.done", **place, "part": part}


def _events(whole: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    opening = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": opening}
    yield {"type": "response.in_progress", "response": opening}
    for index, item in enumerate(whole["output"]):
        yield from _item_events(item, index, size)
    yield {"type": f"response.{whole['status']}", "response": whole}


def response_events(reply: Reply, usage: Usage, reply_id: str, payload: Payload) -> Iterator[Event]:
    """Yield the events of a streamed response, numbered in sequence."""
    whole = response(reply, usage, reply_id, payload)
    for number, data in enumerate(_events(whole, reply.piece)):
        yield named({**data, "sequence_number": number})
