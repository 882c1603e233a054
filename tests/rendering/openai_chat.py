"""Requests of OpenAI Chat Completions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tests.rendering.common import MARK, PIXEL, SCHEMA, Json, extra

if TYPE_CHECKING:
    from agentctx.values import Payload
    from tests.strategies import Call, Conversation, Turn


def render(conversation: Conversation, turns: Sequence[Turn]) -> Payload:
    role = "developer" if conversation.flavor % 2 else "system"
    messages: list[Json] = []
    if conversation.system:
        parts = [{"type": "text", "text": conversation.system}]
        messages.append(
            {"role": role, "content": parts if conversation.listed else parts[0]["text"]}
        )
    messages.append(_chat_task(conversation))
    for turn in turns:
        messages += _chat_turn(turn, role)
    body: Json = {"model": "gpt-5.1", "messages": messages}
    if conversation.tools:
        function = {"name": "bash", "description": "run", "parameters": SCHEMA}
        body["tools"] = [{"type": "function", "function": function}]
    return body | extra(conversation.flavor)


def _chat_task(conversation: Conversation) -> Json:
    parts: list[Json] = [{"type": "text", "text": conversation.task}]
    if conversation.image:
        url = f"data:image/png;base64,{PIXEL}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    plain = not conversation.listed and not conversation.image
    return {"role": "user", "content": conversation.task if plain else parts}


def _chat_turn(turn: Turn, role: str) -> Iterator[Json]:
    said: Json = {"role": "assistant", "content": turn.text or None}
    if turn.text and turn.flavor % 2:
        said["content"] = [{"type": "text", "text": turn.text}]
    if turn.reasoning is not None:
        said["reasoning_content"] = turn.reasoning
    if turn.calls:
        said["tool_calls"] = [_chat_call(call) for call in turn.calls]
        if not turn.text and turn.flavor == 4:
            del said["content"]
    yield said
    for call in turn.calls:
        yield {"role": "tool", "tool_call_id": call.id, "content": _chat_output(call)} | extra(
            call.flavor
        )
    if turn.user:
        yield {"role": "user", "content": turn.user}
    if turn.system:
        yield {"role": role, "content": turn.system}


def _chat_call(call: Call) -> Json:
    if call.flavor == 1:
        return {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": "ls -la"}}
    arguments = '{"command": "ls' if call.flavor == 2 else json.dumps(call.arguments)
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _chat_output(call: Call) -> str | list[Json]:
    if not call.listed:
        return call.output
    texts = [call.output, *([call.more] if call.more else [])]
    return [{"type": "text", "text": text} | (MARK if call.marked else {}) for text in texts]
