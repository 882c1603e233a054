"""The three request formats of model providers, read into slots and written from edits.

`read(payload)` gives slots, `write(payload, edits)` a payload with some observations replaced,
`append(payload, path, text)` one with more in a user's message, `check(payload)` the provider's
rules that it breaks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Final, Protocol, cast

from agentctx.errors import WireError
from agentctx.values import Edit, Kind, Path, Payload, Slot, ToolSpec, Violation, content_id
from agentctx.wire.views import require, sequence, string, type_of, view

NAMES: Final = {
    "anthropic": "agentctx.wire.anthropic",
    "openai_chat": "agentctx.wire.openai_chat",
    "openai_responses": "agentctx.wire.openai_responses",
}
"""Each wire's name and the module that speaks it."""

_ANTHROPIC_KEYS: Final = frozenset(
    {"anthropic_beta", "anthropic_version", "context_management", "mcp_servers"}
    | {"stop_sequences", "system", "thinking"}
)
_ANTHROPIC_BLOCKS: Final = frozenset(
    {"document", "image", "redacted_thinking", "server_tool_use", "thinking"}
    | {"tool_result", "tool_use"}
)
_CHAT_ROLES: Final = frozenset({"developer", "function", "tool"})
_CHAT_KEYS: Final = frozenset({"tool_calls", "function_call", "reasoning_content"})
_CHAT_PARTS: Final = frozenset({"file", "image_url", "input_audio"})


class Wire(Protocol):
    """What a module of `NAMES` offers."""

    NAME: str

    def read(self, payload: Payload) -> tuple[Slot, ...]:
        """Return the slots of a request, in order."""

    def write(self, payload: Payload, edits: Sequence[Edit]) -> Payload:
        """Return the request with those observations replaced."""

    def append(self, payload: Payload, path: Path, text: str, *, instead: str = "") -> Payload:
        """Return the request with a text at the end of the message that holds a user's slot."""

    def check(self, payload: Payload) -> list[Violation]:
        """Return the provider's rules that the request breaks."""

    def tool_names(self, payload: Payload) -> frozenset[str]:
        """Return the names of the tools that the model may call."""

    def add_tools(self, payload: Payload, specs: Sequence[ToolSpec]) -> Payload:
        """Return the request with those tools at the end of its list."""


def get(name: str) -> Wire:
    """Return the wire of that name.

    Raises:
        WireError: there is none.
    """
    if name not in NAMES:
        raise WireError(f"{name!r} is no wire: use one of {', '.join(NAMES)}")
    return cast("Wire", import_module(NAMES[name]))


def of(payload: Payload, name: str | None = None) -> Wire:
    """Return the wire of that name, or the one that a request is written in.

    Raises:
        WireError: there is none.
    """
    return get(name or detect(payload))


def detect(payload: Payload) -> str:
    """Return the name of the wire that a request is written in.

    A request of texts alone is the same in both `messages` formats and counts as OpenAI chat.

    Raises:
        WireError: it has neither `messages` nor `input`.
    """
    body = require(payload)
    if "messages" in body:
        return "anthropic" if _is_anthropic(body) else "openai_chat"
    if "input" in body or "previous_response_id" in body:
        return "openai_responses"
    raise WireError("the payload has neither 'messages' nor 'input': pass wire= and a request body")


def prefix_key(slots: Iterable[Slot]) -> str:
    """Return the content id of what stands before the first assistant turn.

    It names a conversation: system texts, cache markers and the difference between a string and a
    list with one text part leave it the same.
    """
    told = [
        (slot.kind.value, slot.call_id, slot.text)
        for slot in slots
        if slot.turn == 0 and slot.kind is not Kind.SYSTEM and slot.text
    ]
    return content_id(json.dumps(told))


def fresh(slots: Sequence[Slot]) -> tuple[Slot, ...]:
    """Return the observations after the last assistant message: those not sent yet."""
    last = max((slot.turn for slot in slots), default=0)
    return tuple(slot for slot in slots if slot.kind is Kind.OBSERVATION and slot.turn == last)


def _is_anthropic(body: Payload) -> bool:
    messages = [block for block in map(view, sequence(body["messages"])) if block]
    if any(string(m.get("role")) in _CHAT_ROLES or not _CHAT_KEYS.isdisjoint(m) for m in messages):
        return False
    if any(body.get(key) for key in _ANTHROPIC_KEYS):
        return True
    types = {type_of(part) for m in messages for part in sequence(m.get("content"))}
    if not types.isdisjoint(_CHAT_PARTS):
        return False
    return not types.isdisjoint(_ANTHROPIC_BLOCKS) or any(map(_anthropic_tool, _tools(body)))


def _tools(body: Payload) -> Sequence[Any]:
    return sequence(body.get("tools"))


def _anthropic_tool(tool: Any) -> bool:
    block = view(tool) or {}
    return "input_schema" in block or ("name" in block and "function" not in block)
