"""Anthropic Messages: `system`, `messages` of content blocks, results inside user messages.

Source: https://platform.claude.com/docs/en/api/messages, `anthropic.types.MessageParam`.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final

from agentctx.values import Edit, Image, Kind, Path, Payload, Slot, Text, ToolSpec
from agentctx.wire import edit, tail, tools
from agentctx.wire.anthropic_checks import check
from agentctx.wire.cursor import Answer, Cursor
from agentctx.wire.views import Block, dump, history, instructions, parse, string, view

__all__ = ["NAME", "add_tools", "append", "check", "read", "tool_names", "write"]

NAME: Final = "anthropic"

_TEXT: Final = frozenset({"text"})
_ROLES: Final = {"user": Kind.USER, "assistant": Kind.ASSISTANT, "system": Kind.SYSTEM}


def read(payload: Payload) -> tuple[Slot, ...]:
    """Return every place of the request that holds text, calls or things we cannot read.

    Raises:
        WireError: the payload is no request of this wire.
    """
    messages = history(payload, "messages")
    cursor = Cursor()
    cursor.content(("system",), instructions(payload, "system"), Kind.SYSTEM, types=_TEXT)
    for index, message in enumerate(messages):
        _message(cursor, ("messages", index), message)
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
    """Return the names of the tools that the model may call."""
    return frozenset(string(tool.get("name")) for tool in tools.blocks(tools.offered(payload)))


def add_tools(payload: Payload, specs: Sequence[ToolSpec]) -> Payload:
    """Return `payload` offering `specs` too; the same object when it does or offers none."""
    return tools.append(payload, specs, tool_names(payload), _tool)


def _message(cursor: Cursor, path: Path, message: Any) -> None:
    block = view(message)
    kind = _ROLES.get(string(block.get("role"))) if block else None
    cursor.enter(assistant=kind is Kind.ASSISTANT)
    if block is None or kind is None:
        cursor.opaque(path, message)
        return
    content, place = block.get("content"), (*path, "content")
    if not content and kind is Kind.ASSISTANT:
        cursor.add(place, kind, "")
    elif isinstance(content, (list, tuple)):
        editable = isinstance(message, dict)
        for index, part in enumerate(content):
            _block(cursor, (*place, index), part, kind, editable=editable)
    else:
        cursor.content(place, content, kind, types=_TEXT)


def _block(cursor: Cursor, path: Path, part: Any, kind: Kind, *, editable: bool) -> None:
    block = view(part) or {}
    match block.get("type"), kind:
        case "text", _ if isinstance(block.get("text"), str):
            cursor.add(path, kind, block["text"])
        case (("thinking" | "redacted_thinking"), Kind.ASSISTANT):
            cursor.add(path, Kind.REASONING, string(block.get("thinking")))
        case "tool_use", Kind.ASSISTANT:
            cursor.call(path, dump(block.get("input")), _call(block))
        case "tool_result", Kind.USER:
            _result(cursor, path, block, editable=editable and isinstance(part, dict))
        case _:
            cursor.opaque(path, part)


def _call(block: Block) -> Answer:
    return Answer(
        tool=string(block.get("name")),
        call_id=string(block.get("id")),
        arguments=parse(block.get("input")),
    )


def _result(cursor: Cursor, path: Path, block: Block, *, editable: bool) -> None:
    answer = cursor.answer(block.get("tool_use_id"), is_error=block.get("is_error") is True)
    cursor.content(
        (*path, "content") if "content" in block else path,
        block.get("content"),
        Kind.OBSERVATION,
        answer,
        types=_TEXT,
        editable=editable,
    )


def _admit(payload: Payload, slot: Slot, parts: edit.Parts) -> str:
    if slot.is_error and not edit.text_only(parts):
        return "a result with is_error holds only text; keep it as text"
    return ""


def _part(part: Text | Image) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    data = base64.b64encode(part.data).decode("ascii")
    source = {"type": "base64", "media_type": part.media_type, "data": data}
    return {"type": "image", "source": source}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "description": spec.description,
        "input_schema": dict(spec.parameters),
    }
