"""OpenAI Responses: `instructions`, and a flat list of items under `input`.

Source: https://platform.openai.com/docs/api-reference/responses,
`openai.types.responses.ResponseInputItemParam`.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final

from agentctx.values import Edit, Image, Kind, Path, Payload, Slot, Text, ToolSpec
from agentctx.wire import edit, tail, tools
from agentctx.wire.cursor import Answer, Cursor
from agentctx.wire.openai_responses_checks import check
from agentctx.wire.openai_responses_items import CALLS, from_model
from agentctx.wire.views import (
    Block,
    dump,
    history,
    instructions,
    parse,
    require,
    sequence,
    string,
    type_of,
    view,
)

__all__ = ["NAME", "add_tools", "append", "check", "read", "tool_names", "write"]

NAME: Final = "openai_responses"

_TEXT: Final = frozenset({"input_text", "output_text", "text"})
_ROLES: Final = {
    "system": Kind.SYSTEM,
    "developer": Kind.SYSTEM,
    "user": Kind.USER,
    "assistant": Kind.ASSISTANT,
}
_STREAMS: Final = ("stdout", "stderr")


def read(payload: Payload) -> tuple[Slot, ...]:
    """Return every place of the request that holds text, calls or things we cannot read.

    Raises:
        WireError: the payload is no request of this wire.
    """
    cursor = Cursor()
    given = require(payload).get("input")
    top = instructions(payload, "instructions")
    cursor.content(("instructions",), top, Kind.SYSTEM, types=_TEXT)
    if isinstance(given, str):
        cursor.content(("input",), given, Kind.USER, types=_TEXT)
    elif given is not None or "previous_response_id" not in payload:
        for index, item in enumerate(history(payload, "input")):
            _item(cursor, ("input", index), item)
    return tuple(cursor.slots)


def write(payload: Payload, edits: Sequence[Edit]) -> Payload:
    """Return `payload` with those observations replaced; the same object when nothing changes.

    Raises:
        WireError: an edit of anything but an observation, or one that the wire has no room for.
    """
    return edit.write(payload, edits, read=read, encode=_part, admit=_admit)


def append(payload: Payload, path: Path, text: str, *, instead: str = "") -> Payload:
    """Return `payload` with `text` at the end of the user's message with a slot at `path`.

    `instead` is a text that was put there before, and now leaves.

    Raises:
        WireError: that message is an object of an SDK, or something else that is never edited.
    """
    return tail.append(payload, path, text, encode=_part, instead=instead)


def tool_names(payload: Payload) -> frozenset[str]:
    """Return the names of the tools that the model may call, those in namespaces too."""
    offered = list(tools.blocks(tools.offered(payload)))
    nested = [inner for tool in offered for inner in tools.blocks(sequence(tool.get("tools")))]
    callable_ = [tool for tool in (*offered, *nested) if type_of(tool) in ("function", "custom")]
    return frozenset(string(tool.get("name")) for tool in callable_) - {""}


def add_tools(payload: Payload, specs: Sequence[ToolSpec]) -> Payload:
    """Return `payload` offering `specs` too; the same object when it does or offers none."""
    return tools.append(payload, specs, tool_names(payload), _tool)


def _item(cursor: Cursor, path: Path, item: Any) -> None:
    block = view(item)
    kind = type_of(block) or "message" if block else ""
    cursor.enter(assistant=block is not None and from_model(block))
    if block is None:
        cursor.opaque(path, item)
    elif kind == "message":
        _message(cursor, path, item, block)
    elif kind == "reasoning":
        cursor.add(path, Kind.REASONING, _thoughts(block))
    elif kind in CALLS:
        _call(cursor, path, kind, block)
    else:
        _output(cursor, path, kind, item, block)


def _message(cursor: Cursor, path: Path, item: Any, block: Block) -> None:
    role = _ROLES.get(string(block.get("role")))
    content, place = block.get("content"), (*path, "content")
    if role is None:
        cursor.opaque(path, item)
    elif not content and role is Kind.ASSISTANT:
        cursor.add(place, role, "")
    else:
        cursor.content(place, content, role, types=_TEXT)


def _thoughts(block: Block) -> str:
    parts = (*sequence(block.get("summary")), *sequence(block.get("content")))
    return "\n".join(string((view(part) or {}).get("text")) for part in parts)


def _call(cursor: Cursor, path: Path, kind: str, block: Block) -> None:
    call_id = string(block.get("call_id"))
    name, key = CALLS[kind]
    raw = block.get(key)
    text = raw if isinstance(raw, str) else dump(raw)
    arguments = {"input": text} if kind == "custom_tool_call" else parse(raw)
    cursor.call(path, text, Answer(name or string(block.get("name")), call_id, arguments))


def _output(cursor: Cursor, path: Path, kind: str, item: Any, block: Block) -> None:
    answer, place = cursor.answer(block.get("call_id")), (*path, "output")
    editable, output = isinstance(item, dict), block.get("output")
    if kind in ("function_call_output", "custom_tool_call_output"):
        cursor.content(place, output, Kind.OBSERVATION, answer, types=_TEXT, editable=editable)
    elif kind == "shell_call_output" and isinstance(output, (list, tuple)):
        for index, chunk in enumerate(output):
            _streams(cursor, (*place, index), chunk, answer, editable=editable)
    elif kind == "apply_patch_call_output" and isinstance(output, str):
        answer = answer._replace(is_error=block.get("status") == "failed")
        cursor.content(place, output, Kind.OBSERVATION, answer, types=_TEXT, editable=editable)
    else:
        cursor.opaque(path, item, answer if answer.call_id else Answer())


def _streams(cursor: Cursor, path: Path, chunk: Any, answer: Answer, *, editable: bool) -> None:
    block = view(chunk) or {}
    outcome = view(block.get("outcome")) or {}
    failed = type_of(outcome) == "timeout" or bool(outcome.get("exit_code"))
    for key in _STREAMS:
        if block.get(key):
            cursor.content(
                (*path, key),
                block[key],
                Kind.OBSERVATION,
                answer._replace(is_error=failed),
                types=_TEXT,
                editable=editable and isinstance(chunk, dict),
            )


def _admit(payload: Payload, slot: Slot, parts: edit.Parts) -> str:
    item = payload["input"][slot.path[1]]
    if item["type"] in ("function_call_output", "custom_tool_call_output"):
        return ""
    if len(parts) == 1 and edit.text_only(parts):
        return ""
    return f"{item['type']!r} holds one text there; give it one text"


def _part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    data = base64.b64encode(part.data).decode("ascii")
    url = f"data:{part.media_type};base64,{data}"
    return {"type": "input_image", "image_url": url, "detail": "auto"}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": dict(spec.parameters),
        "strict": False,  # the API's default is true, which forbids optional arguments
    }
