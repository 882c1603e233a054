"""OpenAI Chat Completions, and the many hosts that speak it: one `tool` message for each call.

Source: https://platform.openai.com/docs/api-reference/chat, `openai.types.chat`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from agentctx.values import Edit, Image, Kind, Path, Payload, Slot, Text, ToolSpec
from agentctx.wire import edit, tail, tools
from agentctx.wire.cursor import Answer, Cursor
from agentctx.wire.openai_chat_checks import check
from agentctx.wire.views import Block, history, parse, sequence, string, view

__all__ = ["NAME", "add_tools", "append", "check", "read", "tool_names", "write"]

NAME: Final = "openai_chat"

_TEXT: Final = frozenset({"text"})
_ROLES: Final = {
    "system": Kind.SYSTEM,
    "developer": Kind.SYSTEM,
    "user": Kind.USER,
    "assistant": Kind.ASSISTANT,
    "tool": Kind.OBSERVATION,
    "function": Kind.OBSERVATION,
}
_REASONING: Final = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""Where hosts of this wire put the model's reasoning (DeepSeek, OpenRouter, vLLM, LiteLLM)."""


def read(payload: Payload) -> tuple[Slot, ...]:
    """Return every place of the request that holds text, calls or things we cannot read.

    Raises:
        WireError: the payload is no request of this wire.
    """
    cursor = Cursor()
    for index, message in enumerate(history(payload, "messages")):
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
    named = [_tool_name(tool) for tool in tools.blocks(tools.offered(payload))]
    legacy = [
        string(tool.get("name")) for tool in tools.blocks(tools.offered(payload, "functions"))
    ]
    return frozenset(name for name in (*named, *legacy) if name)


def add_tools(payload: Payload, specs: Sequence[ToolSpec]) -> Payload:
    """Return `payload` offering `specs` too; the same object when it does or offers none."""
    return tools.append(payload, specs, tool_names(payload), _tool)


def _message(cursor: Cursor, path: Path, message: Any) -> None:
    block = view(message)
    kind = _ROLES.get(string(block.get("role"))) if block else None
    cursor.enter(assistant=kind is Kind.ASSISTANT)
    if block is None or kind is None:
        cursor.opaque(path, message)
    elif kind is Kind.ASSISTANT:
        _assistant(cursor, path, block)
    else:
        cursor.content(
            (*path, "content"),
            block.get("content"),
            kind,
            _answer(cursor, block),
            types=_TEXT,
            editable=isinstance(message, dict),
        )


def _answer(cursor: Cursor, block: Block) -> Answer:
    if block.get("role") == "tool":
        return cursor.answer(block.get("tool_call_id"))
    if block.get("role") == "function":
        return Answer(tool=string(block.get("name")))
    return Answer()


def _assistant(cursor: Cursor, path: Path, block: Block) -> None:
    before = len(cursor.slots)
    for key in _REASONING:
        if block.get(key):
            cursor.add((*path, key), Kind.REASONING, string(block[key]))
    content = block.get("content")
    if content:
        cursor.content((*path, "content"), content, Kind.ASSISTANT, types=_TEXT)
    for index, call in enumerate(sequence(block.get("tool_calls"))):
        _call(cursor, (*path, "tool_calls", index), call)
    legacy = view(block.get("function_call"))
    if legacy:
        cursor.call((*path, "function_call"), string(legacy.get("arguments")), _named(legacy))
    if len(cursor.slots) == before:
        cursor.add((*path, "content"), Kind.ASSISTANT, "")


def _call(cursor: Cursor, path: Path, call: Any) -> None:
    block = view(call) or {}
    function, custom = view(block.get("function")), view(block.get("custom"))
    call_id = string(block.get("id"))
    if function:
        cursor.call(path, string(function.get("arguments")), _named(function, call_id))
    elif custom:
        text = string(custom.get("input"))
        answer = Answer(string(custom.get("name")), call_id, {"input": text})
        cursor.call(path, text, answer)
    else:
        cursor.opaque(path, call)


def _named(function: Block, call_id: str = "") -> Answer:
    return Answer(string(function.get("name")), call_id, parse(function.get("arguments")))


def _tool_name(tool: Block) -> str:
    inner = view(tool.get("function")) or view(tool.get("custom")) or {}
    return string(inner.get("name"))


def _admit(payload: Payload, slot: Slot, parts: edit.Parts) -> str:
    if not edit.text_only(parts):
        return "a tool message holds only text; put the picture into a user message after it"
    return ""


def _part(part: Text | Image) -> dict[str, Any]:
    return {"type": "text", "text": part.text if isinstance(part, Text) else ""}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": dict(spec.parameters),
    }
    return {"type": "function", "function": function}
