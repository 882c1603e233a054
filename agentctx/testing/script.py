"""A model that says what the test wrote down."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from agentctx.errors import AgentctxError
from agentctx.values import Payload, ToolCall, Usage


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning that a reply shows, with the signature that binds it."""

    text: str
    signature: str = "c2lnbmVk"


@dataclass(frozen=True, slots=True)
class Fault:
    """An HTTP error instead of a reply."""

    status: int
    message: str = "scripted fault"


Part: TypeAlias = str | ToolCall | Thinking


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One turn of the model: its parts in order, why it stopped, and what it cost.

    `usage` None lets the upstream count the request that it answers; a stream delivers `piece`
    characters at a time.
    """

    parts: tuple[Part, ...] = ()
    stop: str = ""
    usage: Usage | None = None
    piece: int = 12

    @property
    def text(self) -> str:
        """All text parts joined."""
        return "".join(part for part in self.parts if isinstance(part, str))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


Line: TypeAlias = (
    Part
    | Sequence[Part]
    | Reply
    | Fault
    | Callable[[Payload], "Part | Sequence[Part] | Reply | Fault"]
)

_ids = itertools.count(1)


def call(name: str, /, call_id: str = "", **arguments: Any) -> ToolCall:
    """Return a tool call with a fresh id unless one is given."""
    return ToolCall(id=call_id or f"call_{next(_ids):08d}", name=name, arguments=arguments)


def _as_reply(line: Any) -> Reply | Fault:
    if isinstance(line, Reply | Fault):
        return line
    parts = (line,) if isinstance(line, str | ToolCall | Thinking) else tuple(line)
    return Reply(parts=parts)


class ScriptedModel:
    """A queue of replies, each a text, a tool call, several parts, or a function of the request.

    As a plain `messages -> reply` callable it returns an OpenAI-style assistant message;
    `FakeUpstream` serves it over HTTP. `payloads` holds what it was asked.
    """

    def __init__(self, *lines: Line) -> None:
        self.payloads: list[Payload] = []
        self._lines = list(lines)

    def answer(self, payload: Payload) -> Reply | Fault:
        """Return the next reply to `payload`; past the end of the script that is a fault."""
        self.payloads.append(payload)
        if not self._lines:
            return Fault(500, f"the script ended before request {len(self.payloads)}")
        line = self._lines.pop(0)
        return _as_reply(line(payload) if callable(line) else line)

    def __call__(self, messages: Sequence[Mapping[str, Any]], **options: Any) -> dict[str, Any]:
        """Return the next reply as an assistant message.

        Raises:
            AgentctxError: if the script has ended or says that this request fails.
        """
        reply = self.answer({"messages": list(messages), **options})
        if isinstance(reply, Fault):
            raise AgentctxError(f"{reply.status}: {reply.message}")
        return chat_message(reply)


def chat_message(reply: Reply) -> dict[str, Any]:
    """Return `reply` as the message of OpenAI Chat Completions."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [chat_call(each) for each in reply.calls]
    return message


def chat_call(call: ToolCall) -> dict[str, Any]:
    """Return `call` as OpenAI Chat Completions writes it."""
    function = {"name": call.name, "arguments": json.dumps(dict(call.arguments))}
    return {"id": call.id, "type": "function", "function": function}
