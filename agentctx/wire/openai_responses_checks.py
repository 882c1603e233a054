"""What the OpenAI Responses API refuses: pairing, reasoning without its item, parts.

Source: https://platform.openai.com/docs/api-reference/responses/create, the reasoning guide there
and the error texts of that API.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from agentctx.values import Path, Payload, Violation
from agentctx.wire.openai_chat_checks import name_form
from agentctx.wire.openai_responses_items import CALLS, OUTPUTS, from_model
from agentctx.wire.pairing import repeated
from agentctx.wire.tools import offered
from agentctx.wire.views import (
    Block,
    history,
    instructions,
    require,
    sequence,
    string,
    type_of,
    view,
)

Placed: TypeAlias = tuple[Path, Block]

_PARTS: Final = {
    "assistant": frozenset({"output_text", "refusal"}),
    "user": frozenset({"input_text", "input_image", "input_file", "input_audio"}),
    "system": frozenset({"input_text"}),
    "developer": frozenset({"input_text"}),
}
_RESULT_PARTS: Final = frozenset({"input_text", "input_image", "input_file"})


def check(payload: Payload) -> list[Violation]:
    """Return the rules that a request breaks.

    Raises:
        WireError: the payload is no request of this wire.
    """
    instructions(payload, "instructions")
    given = require(payload).get("input")
    raw = () if isinstance(given, str) or _continues(payload, given) else history(payload, "input")
    items = [(("input", index), view(item) or {}) for index, item in enumerate(raw)]
    return [
        *_shapes(items),
        *_pairs(items, partial=_partial(payload, items)),
        *_reasoning(payload, items),
        *(violation for path, item in items for violation in _parts(path, item)),
        *_names(payload, items),
    ]


def _continues(payload: Payload, given: Any) -> bool:
    return given is None and "previous_response_id" in payload


def _partial(payload: Payload, items: Sequence[Placed]) -> bool:
    """Say whether some items stand only on the server, so that a call may be there."""
    references = any(type_of(item) == "item_reference" for _, item in items)
    return references or any(payload.get(k) for k in ("previous_response_id", "conversation"))


def _is_message(item: Block) -> bool:
    return type_of(item) == "message" or (item.get("type") is None and "role" in item)


def _shapes(items: Sequence[Placed]) -> Iterator[Violation]:
    for path, item in items:
        if _is_message(item) and string(item.get("role")) not in _PARTS:
            yield Violation("role-unknown", path, f"{item.get('role')!r} is no role here")
        elif not _is_message(item) and not type_of(item):
            yield Violation("item-type", path, "an item needs its type")


def _pairs(items: Sequence[Placed], *, partial: bool) -> Iterator[Violation]:
    calls = [(path, _key(item)) for path, item in items if type_of(item) in CALLS]
    outputs = [(path, _answer(item)) for path, item in items if type_of(item) in OUTPUTS]
    yield from repeated("call-duplicate", [(p, key[1]) for p, key in calls], set())
    yield from repeated("result-duplicate", [(p, key[1]) for p, key in outputs], set())
    answered = {key: path for path, key in outputs}
    made = {key: path for path, key in calls}
    for key, path in made.items():
        if key not in answered:
            yield Violation("call-unanswered", path, f"no output for {key[1]!r}")
    for key, path in answered.items():
        if (key not in made and not partial) or (key in made and made[key] > path):
            yield Violation("result-orphan", path, f"no call {key[1]!r} before it")


def _key(item: Block) -> tuple[str, str]:
    return type_of(item), string(item.get("call_id"))


def _answer(item: Block) -> tuple[str, str]:
    # a local shell's output names its call by `id`
    call_id = item.get("call_id") or item.get("id")
    return OUTPUTS[type_of(item)], string(call_id)


def _reasoning(payload: Payload, items: Sequence[Placed]) -> Iterator[Violation]:
    following = [*(item for _, item in items[1:]), {}]
    for (path, item), after in zip(items, following, strict=True) if items else ():
        if type_of(item) != "reasoning":
            continue
        if not from_model(after):
            yield Violation("reasoning-detached", path, "its message or call does not follow it")
        if payload.get("store") is False and not item.get("encrypted_content"):
            yield Violation("reasoning-unstored", path, "store is false: send encrypted_content")


def _parts(path: Path, item: Block) -> Iterator[Violation]:
    if _is_message(item):
        allowed = _PARTS.get(string(item.get("role")), frozenset())
        if item.get("content") is None:
            yield Violation("content-missing", path, "a message needs content")
        yield from _kinds("message-part", (*path, "content"), item.get("content"), allowed)
    elif type_of(item) in ("function_call_output", "custom_tool_call_output"):
        if item.get("output") is None:
            yield Violation("output-missing", path, "a call needs its output")
        yield from _kinds("result-part", (*path, "output"), item.get("output"), _RESULT_PARTS)


def _kinds(rule: str, path: Path, content: Any, allowed: frozenset[str]) -> Iterator[Violation]:
    for index, part in enumerate(sequence(content)):
        kind = type_of(part)
        if kind not in allowed:
            yield Violation(rule, (*path, index), f"{kind!r} is no part that may stand here")


def _names(payload: Payload, items: Sequence[Placed]) -> Iterator[Violation]:
    for path, item in items:
        if type_of(item) == "function_call":
            yield from name_form(path, item.get("name"))
            if not isinstance(item.get("arguments"), str):
                yield Violation("arguments-text", path, "arguments are a string of JSON")
    for index, tool in enumerate(offered(payload)):
        block = view(tool) or {}
        if type_of(block) == "function":
            yield from name_form(("tools", index), block.get("name"))
