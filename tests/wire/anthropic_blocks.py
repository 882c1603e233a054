"""Short spellings of Anthropic Messages requests."""

from __future__ import annotations

from typing import Any

from agentctx.values import Payload

Json = dict[str, Any]

MARK = {"cache_control": {"type": "ephemeral"}}


def text(value: str, **fields: Any) -> Json:
    return {"type": "text", "text": value, **fields}


def use(call_id: str, **fields: Any) -> Json:
    return {"type": "tool_use", "id": call_id, "name": "bash", "input": {"command": "ls"}, **fields}


def result(call_id: str, content: Any = "done", **fields: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def user(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def request(*messages: Json, **fields: Any) -> Payload:
    return {"model": "m", "max_tokens": 1, "messages": [user(text("go")), *messages], **fields}


MARKED = text("m", **MARK)
