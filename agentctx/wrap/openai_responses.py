"""OpenAI Responses: replies read, stripped and answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentctx.values import Payload, ToolCall, Usage
from agentctx.wire import openai_responses_items
from agentctx.wire.views import parse, string
from agentctx.wrap.history import Splice
from agentctx.wrap.openai_responses_stream import ResponseWeaver
from agentctx.wrap.shape import field, plain, put
from agentctx.wrap.spoken import Answer, Item, Spoken, Weaver

KEY = "input"


def by_model(item: Item) -> bool:
    """Say whether the model made this item."""
    return openai_responses_items.from_model(item)


def spoken(reply: Any) -> Spoken:
    """Return what a response says, every item as it came."""
    items = tuple(clean(plain(item)) for item in field(reply, "output") or ())
    return Spoken(
        items=items,
        calls=tuple(_call(item) for item in items if item.get("type") == "function_call"),
        usage=tokens(field(reply, "usage")),
        whole=field(reply, "status") in (None, "completed"),
        id=string(field(reply, "id")),
        model=string(field(reply, "model")),
    )


def without(reply: Any, hidden: frozenset[str]) -> Any:
    """Return the response without those calls."""
    return put(reply, output=_bare(field(reply, "output"), hidden))


def bare(items: Sequence[Item], hidden: frozenset[str]) -> tuple[Item, ...]:
    """Return a turn without those calls, nor the reasoning that led to them alone."""
    return tuple(_bare(items, hidden))


def results(answers: Sequence[Answer]) -> tuple[Item, ...]:
    """Return one output for each call."""
    return tuple(
        {"type": "function_call_output", "call_id": call.id, "output": text}
        for call, text in answers
    )


def extend(payload: Payload, said: Spoken, answers: Sequence[Item]) -> Payload:
    """Return the request of the next round.

    Where the server keeps the history only the results are sent; else the turn stands before
    them, without reasoning that the server has neither kept nor sealed.
    """
    if payload.get("previous_response_id"):
        return {**payload, KEY: list(answers), "previous_response_id": said.id}
    if payload.get("conversation"):
        return {**payload, KEY: list(answers)}
    return {**payload, KEY: [*listed(payload.get(KEY)), *sendable(payload, said.items), *answers]}


def key(reply_id: str) -> str:
    """Return the key of the splice of a response that a later request may go on from."""
    return f"response:{reply_id}"


def linked(payload: Payload, splice: Splice) -> Payload:
    """Return a request that goes on from a response, with our results before the caller's.

    Its link replaces the id, since the caller of a stream has seen that of the first round.
    """
    items = [*splice.results, *listed(payload.get(KEY))]
    return {**payload, "previous_response_id": splice.link, KEY: items}


def sendable(payload: Payload, items: Sequence[Item]) -> list[Item]:
    """Return the items of a turn that a request may hold."""
    if payload.get("store") is not False:
        return list(items)
    return [i for i in items if i.get("type") != "reasoning" or i.get("encrypted_content")]


def before(answers: Sequence[Item], rest: Sequence[Item]) -> list[Item]:
    """Return our results, then the caller's."""
    return [*answers, *rest]


def like(turn: Sequence[Item], given: Sequence[Item]) -> Sequence[Item]:
    """Return the turn: this wire's output items carry no markers."""
    return turn


def weaver(hidden: frozenset[str]) -> Weaver:
    """Return what hides the calls of these tools in a stream."""
    return ResponseWeaver(hidden, spoken)


def listed(given: Any) -> list[Any]:
    """Return an input as a list of items."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return list(given or ())


def clean(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an output item as a request may hold it: without what the SDK's helpers added."""
    kept = {name: value for name, value in item.items() if name != "parsed_arguments"}
    if kept.get("type") == "message":
        parts = kept.get("content") or ()
        kept["content"] = [{k: v for k, v in part.items() if k != "parsed"} for part in parts]
    return kept


def tokens(report: Any) -> Usage:
    """Return a usage report as tokens: fresh, read and written."""
    read = field(report, "input_tokens_details", "cached_tokens") or 0
    written = field(report, "input_tokens_details", "cache_write_tokens") or 0
    return Usage(
        input=max((field(report, "input_tokens") or 0) - read - written, 0),
        cache_read=read,
        cache_write=written,
        output=field(report, "output_tokens") or 0,
    )


def _call(item: Item) -> ToolCall:
    return ToolCall(
        id=string(item.get("call_id")),
        name=string(item.get("name")),
        arguments=parse(item.get("arguments")) or {},
    )


def _bare(items: Sequence[Any], hidden: frozenset[str]) -> list[Any]:
    """Leave out those calls; reasoning must not stand without an item that it led to."""
    left: list[Any] = []
    gap = False
    for item in items:
        if field(item, "type") == "function_call" and field(item, "call_id") in hidden:
            gap = True
            continue
        if gap and field(item, "type") == "reasoning":
            _drop_reasoning(left)
        gap = False
        left.append(item)
    if gap:
        _drop_reasoning(left)
    return left


def _drop_reasoning(items: list[Any]) -> None:
    while items and field(items[-1], "type") == "reasoning":
        items.pop()
