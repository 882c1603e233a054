"""What LangChain's messages tell: what the model sees of a history, and what a reply cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain.agents.middleware.types import ModelRequest
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from agentctx.values import Usage

SEEN = "_agentctx_seen"
"""The state's key for what `seen` returned about the last request."""


def usage(message: AIMessage) -> Usage:
    """Return what a reply cost, as its `usage_metadata` says."""
    reported = message.usage_metadata
    if reported is None:
        return Usage()
    details: Mapping[str, Any] = reported.get("input_token_details") or {}
    read = _sum(details, "cache_read")  # a service tier comes as a prefix: "flex_cache_read"
    hour = _sum(details, "ephemeral_1h_input_tokens")
    minutes = _sum(details, "ephemeral_5m_input_tokens")
    written = minutes if hour or minutes else _sum(details, "cache_creation")
    return Usage(
        input=max(reported["input_tokens"] - read - written - hour, 0),
        cache_read=read,
        cache_write=written,
        cache_write_1h=hour,
        output=reported["output_tokens"],
    )


def before(state: Any, call_id: str) -> list[str]:
    """Return the call ids of the results that will stand before that of `call_id`.

    A result that is not to be referred to counts as "": what the model did not see as it was
    returned, and the results of parallel calls, which are not known yet.
    """
    messages: Sequence[AnyMessage] = field(state, "messages") or []
    last = next((n for n in range(len(messages))[::-1] if isinstance(messages[n], AIMessage)), 0)
    shown = field(state, SEEN)
    if shown is None:
        shown = _ids(results(messages[:last]))
    answered = _ids(results(messages[last:]))
    turn = messages[last] if messages else None
    calls = [call["id"] for call in turn.tool_calls] if isinstance(turn, AIMessage) else []
    parallel = calls[: calls.index(call_id)] if call_id in calls else []
    return [*shown, *answered, *("" for other in parallel if other not in answered)]


def seen(request: ModelRequest[Any]) -> list[str] | None:
    """Return the call ids of the results in a request, "" for those that were altered for it.

    None stands for exactly those that the state holds.
    """
    held = {message.tool_call_id: message for message in results(request.state["messages"])}
    found = [
        message.tool_call_id
        if (stored := held.get(message.tool_call_id)) and stored.content == message.content
        else ""
        for message in results(request.messages)
    ]
    return None if found == list(held) else found


def results(messages: Iterable[AnyMessage]) -> list[ToolMessage]:
    """Return the tool results among some messages."""
    return [message for message in messages if isinstance(message, ToolMessage)]


def field(state: Any, key: str) -> Any:
    """Return a value of a graph's state: a mapping, or an object with attributes."""
    return state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)


def tool_name(tool: Any) -> str:
    """Return the name of a tool; "" for one that a provider runs itself."""
    if not isinstance(tool, Mapping):
        return str(tool.name)
    return str(tool.get("name") or (tool.get("function") or {}).get("name") or "")


def _ids(messages: Iterable[ToolMessage]) -> list[str]:
    return [message.tool_call_id for message in messages]


def _sum(details: Mapping[str, Any], ending: str) -> int:
    return sum(value or 0 for key, value in details.items() if key.endswith(ending))
