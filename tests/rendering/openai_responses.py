"""Requests of OpenAI Responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tests.rendering.common import PIXEL, SCHEMA, Json, extra

if TYPE_CHECKING:
    from agentctx.values import Payload
    from tests.strategies import Call, Conversation, Turn


def render(conversation: Conversation, turns: Sequence[Turn]) -> Payload:
    items: list[Json] = [_responses_task(conversation)]
    for index, turn in enumerate(turns):
        items += _responses_turn(turn, index)
    body: Json = {"model": "gpt-5.1", "store": False, "input": items}
    if conversation.system:
        body["instructions"] = conversation.system
    if conversation.tools:
        function = {"type": "function", "name": "bash", "description": "run", "strict": False}
        body["tools"] = [function | {"parameters": SCHEMA}, {"type": "web_search"}]
    return body | extra(conversation.flavor)


def _responses_task(conversation: Conversation) -> Json:
    parts: list[Json] = [{"type": "input_text", "text": conversation.task}]
    if conversation.image:
        url = f"data:image/png;base64,{PIXEL}"
        parts.append({"type": "input_image", "image_url": url, "detail": "auto"})
    plain = not conversation.listed and not conversation.image
    item: Json = {"role": "user", "content": conversation.task if plain else parts}
    return item if conversation.flavor % 2 else {"type": "message", **item}


def _responses_turn(turn: Turn, index: int) -> Iterator[Json]:
    if turn.flavor == 2:
        search = {"type": "search", "query": "q"}
        status = {"status": "completed", "action": search}
        yield {"type": "web_search_call", "id": f"ws_{index}", **status}
    if turn.flavor == 6:
        yield {"type": "compaction", "encrypted_content": "b3BhcXVl"}
    if turn.reasoning is not None:
        summary = [{"type": "summary_text", "text": turn.reasoning}] if turn.reasoning else []
        hidden = {"id": f"rs_{index}", "summary": summary, "encrypted_content": "b3BhcXVl"}
        yield {"type": "reasoning", **hidden}
    if turn.text:
        part = {"type": "output_text", "text": turn.text, "annotations": []}
        head = {"type": "message", "id": f"msg_{index}", "role": "assistant"}
        yield {**head, "status": "completed", "content": [part]}
    yield from (_responses_call(call) for call in turn.calls)
    yield from (_responses_result(call) for call in turn.calls)
    if turn.user:
        yield {"role": "user", "content": [{"type": "input_text", "text": turn.user}]}
    if turn.system:
        yield {"type": "message", "role": "developer", "content": turn.system}


def _responses_call(call: Call) -> Json:
    if call.flavor == 1:
        return _item("custom_tool_call", call, name=call.name, input="ls -la")
    if call.flavor == 4:
        return _item("shell_call", call, action={"commands": ["ls -la"]})
    if call.flavor == 5:
        operation = {"type": "update_file", "path": "a.py", "diff": "@@ -1 +1 @@"}
        return _item("apply_patch_call", call, status="completed", operation=operation)
    arguments = '{"command": "ls' if call.flavor == 2 else json.dumps(call.arguments)
    return _item("function_call", call, id=f"fc_{call.id}", name=call.name, arguments=arguments)


def _responses_result(call: Call) -> Json:
    if call.flavor == 1:
        return _item("custom_tool_call_output", call, output=call.output)
    if call.flavor == 4:
        outcome = {"type": "exit", "exit_code": int(call.failed)}
        chunk = {"stdout": call.output, "stderr": call.more, "outcome": outcome}
        return _item("shell_call_output", call, output=[chunk])
    if call.flavor == 5:
        status = "failed" if call.failed else "completed"
        return _item("apply_patch_call_output", call, status=status, output=call.output)
    output: str | list[Json] = call.output
    if (call.listed and call.output + call.more) or call.image:
        output = [{"type": "input_text", "text": t} for t in (call.output, call.more) if t]
        if call.image:
            output.append({"type": "input_image", "file_id": "file_1", "detail": "auto"})
    return _item("function_call_output", call, output=output, **extra(call.flavor))


def _item(kind: str, call: Call, **fields: Any) -> Json:
    return {"type": kind, "call_id": call.id, **fields}
