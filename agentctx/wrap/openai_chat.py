"""OpenAI Chat Completions: replies read, stripped and answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentctx.values import Payload, ToolCall, Usage
from agentctx.wire.views import parse, string
from agentctx.wrap.openai_chat_stream import ChatWeaver
from agentctx.wrap.shape import field, plain, put
from agentctx.wrap.spoken import Answer, Item, Spoken, Weaver

KEY = "messages"
CUT = frozenset({"length", "content_filter"})
"""The reasons to finish that leave a turn incomplete."""

_OUTPUT_ONLY = frozenset({"annotations", "audio", "function_call", "parsed", "refusal"})
_CALL_OUTPUT_ONLY = frozenset({"index", "parsed_arguments"})


def by_model(item: Item) -> bool:
    """Say whether the model made this message."""
    return item.get("role") == "assistant"


def spoken(reply: Any) -> Spoken:
    """Return what a completion, a bare message or a plain text says."""
    if isinstance(reply, str):
        return Spoken(items=({"role": "assistant", "content": reply},))
    message = clean(plain(_message(reply)) or {})
    return said(
        message,
        calls=calls(message),
        usage=field(reply, "usage"),
        stop=field(reply, "choices", 0, "finish_reason"),
        name=field(reply, "id"),
        model=field(reply, "model"),
    )


def said(
    message: Item, *, calls: tuple[ToolCall, ...], usage: Any, stop: Any, name: Any, model: Any
) -> Spoken:
    """Return a turn of this message; `name` is the id of its completion."""
    return Spoken(
        items=(message,),
        calls=calls,
        usage=tokens(usage),
        whole=stop not in CUT,
        id=string(name),
        model=string(model),
    )


def without(reply: Any, hidden: frozenset[str]) -> Any:
    """Return the completion without those calls."""
    message = _message(reply)
    left = [call for call in field(message, "tool_calls") or () if field(call, "id") not in hidden]
    message = put(message, tool_calls=left or None)
    choices = field(reply, "choices")
    if not choices:
        return message
    stop = field(choices, 0, "finish_reason")
    ending = "stop" if stop == "tool_calls" and not left else stop
    return put(reply, choices=[put(choices[0], message=message, finish_reason=ending)])


def bare(items: Sequence[Item], hidden: frozenset[str]) -> tuple[Item, ...]:
    """Return a turn without those calls."""
    return tuple(_bare(item, hidden) for item in items)


def results(answers: Sequence[Answer]) -> tuple[Item, ...]:
    """Return one tool message for each call."""
    return tuple(
        {"role": "tool", "tool_call_id": call.id, "content": text} for call, text in answers
    )


def extend(payload: Payload, said: Spoken, answers: Sequence[Item]) -> Payload:
    """Return the request with the turn and its results at the end."""
    return {**payload, KEY: [*payload[KEY], *said.items, *answers]}


def before(answers: Sequence[Item], rest: Sequence[Item]) -> list[Item]:
    """Return our results, then the caller's."""
    return [*answers, *rest]


def like(turn: Sequence[Item], given: Sequence[Item]) -> Sequence[Item]:
    """Return the turn: this wire's markers sit in parts of the caller's own messages."""
    return turn


def weaver(hidden: frozenset[str]) -> Weaver:
    """Return what hides the calls of these tools in a stream."""
    return ChatWeaver(hidden, said)


def clean(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply's message as a request may hold it."""
    kept = {
        name: value
        for name, value in message.items()
        if name not in _OUTPUT_ONLY and value not in (None, [], {})
    }
    made = {"role": "assistant", "content": None, **kept}
    if "tool_calls" in made:
        made["tool_calls"] = [_clean_call(call) for call in made["tool_calls"]]
    return made


def calls(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """Return the function calls of a message."""
    found = message.get("tool_calls") or ()
    return tuple(
        ToolCall(
            id=string(call.get("id")),
            name=string(field(call, "function", "name")),
            arguments=parse(field(call, "function", "arguments")) or {},
        )
        for call in found
        if call.get("function")
    )


def tokens(report: Any) -> Usage:
    """Return a usage report as tokens: fresh, read and written."""
    read = field(report, "prompt_tokens_details", "cached_tokens")
    if read is None:
        read = field(report, "prompt_cache_hit_tokens") or 0
    written = field(report, "prompt_tokens_details", "cache_write_tokens")
    if written is None:
        written = field(report, "cache_creation_input_tokens") or 0
    prompt = field(report, "prompt_tokens") or 0
    return Usage(
        input=max(prompt - read - written, 0),
        cache_read=read,
        cache_write=written,
        output=field(report, "completion_tokens") or 0,
    )


def _message(reply: Any) -> Any:
    choices = field(reply, "choices")
    return field(choices, 0, "message") if choices else reply


def _bare(item: Item, hidden: frozenset[str]) -> Item:
    left = [call for call in item.get("tool_calls") or () if call.get("id") not in hidden]
    kept = {name: value for name, value in item.items() if name != "tool_calls"}
    return {**kept, "tool_calls": left} if left else kept


def _clean_call(call: Mapping[str, Any]) -> dict[str, Any]:
    kept = {
        name: value
        for name, value in call.items()
        if name not in _CALL_OUTPUT_ONLY and value is not None
    }
    if "function" in kept:
        function = kept["function"]
        kept["function"] = {k: v for k, v in function.items() if k not in _CALL_OUTPUT_ONLY}
    return {"type": "function", **kept}
