"""Requests of Anthropic Messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tests.rendering.common import MARK, PIXEL, SCHEMA, Json, extra

if TYPE_CHECKING:
    from agentctx.values import Payload
    from tests.strategies import Call, Conversation, Turn


def render(conversation: Conversation, turns: Sequence[Turn]) -> Payload:
    markers = iter(range(3))
    system = [{"type": "text", "text": conversation.system, **MARK}]
    body: Json = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 1024,
        "messages": [_anthropic_task(conversation)],
    }
    if conversation.system:
        body["system"] = system if conversation.listed else conversation.system
    if conversation.tools:
        body["tools"] = [{"name": "bash", "description": "run", "input_schema": SCHEMA}]
    for index, turn in enumerate(turns):
        body["messages"] += _anthropic_turn(turn, index, markers)
    return body | extra(conversation.flavor)


def _anthropic_task(conversation: Conversation) -> Json:
    blocks: list[Json] = [{"type": "text", "text": conversation.task}]
    if conversation.image:
        blocks.append({"type": "image", "source": _base64()})
    plain = not conversation.listed and not conversation.image
    return {"role": "user", "content": conversation.task if plain else blocks}


def _base64() -> Json:
    return {"type": "base64", "media_type": "image/png", "data": PIXEL}


def _anthropic_turn(turn: Turn, index: int, markers: Iterator[int]) -> Iterator[Json]:
    said = [*_thinking(turn), *_server_blocks(turn, index)]
    if turn.text:
        said.append({"type": "text", "text": turn.text})
    said += [
        {"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments, **extra(c.flavor)}
        for c in turn.calls
    ]
    plain = len(said) == 1 and said[0]["type"] == "text" and turn.flavor % 2
    yield {"role": "assistant", "content": turn.text if plain else said}
    results = [_anthropic_result(call, markers) for call in turn.calls]
    after: list[Json] = [{"type": "text", "text": turn.user}] if turn.user else []
    if results and after and turn.flavor % 2:
        yield {"role": "user", "content": results}
        yield {"role": "user", "content": turn.user}
    else:
        yield {"role": "user", "content": [*results, *after]}
    if turn.system:
        yield {"role": "system", "content": turn.system}


def _thinking(turn: Turn) -> list[Json]:
    if turn.reasoning is None:
        return []
    if turn.flavor == 1:
        return [{"type": "redacted_thinking", "data": "b3BhcXVl"}]
    return [{"type": "thinking", "thinking": turn.reasoning, "signature": "c2lnbmVk"}]


def _server_blocks(turn: Turn, index: int) -> list[Json]:
    if turn.flavor != 2:
        return []
    call_id = f"srvtoolu_{index}"
    use = {"type": "server_tool_use", "id": call_id, "name": "web_search", "input": {"query": "q"}}
    page = {
        "type": "web_search_result",
        "url": "https://a.b",
        "title": "t",
        "encrypted_content": "e",
    }
    result = {"type": "web_search_tool_result", "tool_use_id": call_id, "content": [page]}
    return [use, result]


def _anthropic_result(call: Call, markers: Iterator[int]) -> Json:
    result: Json = {"type": "tool_result", "tool_use_id": call.id, **extra(call.flavor)}
    if call.failed or call.flavor == 5:
        result["is_error"] = call.failed
    text = {"type": "text", "text": call.output}
    if not call.output.strip() or not (call.listed or call.image):
        return result | ({"content": call.output} if call.output or call.flavor % 2 else {})
    parts = [text | (MARK if call.marked and next(markers, None) is not None else {})]
    if call.more:
        parts.append({"type": "text", "text": call.more})
    if call.image:
        parts.append({"type": "image", "source": _base64()})
    if call.flavor == 6 and not call.failed:
        source = {"type": "text", "media_type": "text/plain", "data": call.more or "page"}
        parts.append({"type": "document", "source": source})
    return result | {"content": parts}
