"""What the OpenAI Chat Completions API refuses: pairing, content, names.

Source: https://platform.openai.com/docs/api-reference/chat/create and the error texts of that API.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from agentctx.values import Path, Payload, Violation
from agentctx.wire.pairing import Id, repeated
from agentctx.wire.tools import offered
from agentctx.wire.views import Block, history, sequence, string, type_of, view

Placed: TypeAlias = tuple[Path, Block]

NAME_FORM: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")

_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_INSTEAD: Final = ("tool_calls", "function_call", "audio", "refusal")
"""What may stand in an assistant message in place of content."""


def check(payload: Payload) -> list[Violation]:
    """Return the rules that a request breaks.

    Raises:
        WireError: the payload is no request of this wire.
    """
    raw = history(payload, "messages")
    messages = [(("messages", index), view(message) or {}) for index, message in enumerate(raw)]
    return [
        *_roles(messages),
        *_pairs(messages),
        *(violation for path, block in messages for violation in _content(path, block)),
        *(violation for path, block in messages for violation in _calls(path, block)),
        *_tools(payload),
    ]


def _roles(messages: Sequence[Placed]) -> Iterator[Violation]:
    for path, block in messages:
        if string(block.get("role")) not in _ROLES:
            yield Violation("role-unknown", path, f"{block.get('role')!r} is no role here")
    roles = [block.get("role") for _, block in messages]
    if "system" in roles and "developer" in roles:
        path, _ = messages[roles.index("developer")]
        yield Violation("instructions-mixed", path, "'system' and 'developer' in one request")


def _pairs(messages: Sequence[Placed]) -> Iterator[Violation]:
    """Walk the calls that are open: each is answered before any other message comes."""
    open_: dict[str, Path] = {}
    answered: set[str] = set()
    for path, block in messages:
        if block.get("role") == "tool":
            call_id = string(block.get("tool_call_id"))
            if call_id in answered:
                yield Violation("result-duplicate", path, f"{call_id!r} is answered already")
            elif open_.pop(call_id, None) is None:
                yield Violation("result-orphan", path, f"no call {call_id!r} just before")
            answered.add(call_id)
            continue
        yield from _unanswered(open_)
        calls = _ids(path, block)
        yield from repeated("call-duplicate", calls, set())
        open_, answered = {call_id: place for place, call_id in calls}, set()
    yield from _unanswered(open_)


def _unanswered(calls: dict[str, Path]) -> Iterator[Violation]:
    for call_id, path in calls.items():
        yield Violation("call-unanswered", path, f"no tool message for {call_id!r} just after")


def _ids(path: Path, block: Block) -> list[Id]:
    return [(place, string(call.get("id"))) for place, call in _placed_calls(path, block)]


def _placed_calls(path: Path, block: Block) -> Iterator[Placed]:
    if block.get("role") == "assistant":
        for index, call in enumerate(sequence(block.get("tool_calls"))):
            yield (*path, "tool_calls", index), view(call) or {}


def _content(path: Path, block: Block) -> Iterator[Violation]:
    content, role = block.get("content"), block.get("role")
    excused = role == "assistant" and any(block.get(key) for key in _INSTEAD)
    if content is None and not excused and role != "function":
        yield Violation("content-missing", path, "a message needs content")
    if role == "tool":
        for index, part in enumerate(sequence(content)):
            if type_of(part) != "text":
                place = (*path, "content", index)
                yield Violation("result-not-text", place, "a tool message holds only text")


def _calls(path: Path, block: Block) -> Iterator[Violation]:
    for place, call in _placed_calls(path, block):
        function = view(call.get("function"))
        custom = view(call.get("custom"))
        named = function or custom or {}
        yield from name_form(place, named.get("name"))
        if function and not isinstance(function.get("arguments"), str):
            yield Violation("arguments-text", place, "arguments are a string of JSON")


def _tools(payload: Payload) -> Iterator[Violation]:
    if isinstance(payload.get("tools"), (list, tuple)) and not payload["tools"]:
        yield Violation("tools-empty", ("tools",), "leave 'tools' out instead")
    for index, tool in enumerate(offered(payload)):
        block = view(tool) or {}
        inner = view(block.get("function")) or view(block.get("custom")) or {}
        yield from name_form(("tools", index), inner.get("name"))


def name_form(path: Path, name: Any) -> Iterator[Violation]:
    """Yield a violation when a tool's name is none that the API takes."""
    if not NAME_FORM.fullmatch(string(name)):
        yield Violation("tool-name", path, f"{name!r}: 1-64 letters, digits, '_' or '-'")
