"""What the Anthropic Messages API refuses: order, pairing, empty text, cache markers.

Source: https://platform.claude.com/docs/en/api/messages and the error texts of that API. The
API merges neighbours of one role before it pairs calls with results; so do these checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from agentctx.values import Path, Payload, Violation
from agentctx.wire.pairing import Id, repeated
from agentctx.wire.tools import offered
from agentctx.wire.views import Block, history, instructions, sequence, string, type_of, view

Placed: TypeAlias = tuple[Path, Block]

_ROLES: Final = frozenset({"user", "assistant", "system"})
_MARKERS: Final = 4
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_PLACES: Final = {
    "tool_use": "assistant",
    "tool_result": "user",
    "thinking": "assistant",
    "redacted_thinking": "assistant",
}


class Turn(NamedTuple):
    """One message, or neighbours of one role merged."""

    path: Path
    role: str
    blocks: tuple[Placed, ...]

    def ids(self, kind: str, key: str) -> list[Id]:
        """Return where blocks of that type are, with the id that each carries."""
        return [(path, string(b.get(key))) for path, b in self.blocks if type_of(b) == kind]


def check(payload: Payload) -> list[Violation]:
    """Return the rules that a request breaks.

    Raises:
        WireError: the payload is no request of this wire.
    """
    raw = history(payload, "messages")
    system = _blocks(("system",), instructions(payload, "system"))
    messages = [_turn(("messages", index), message) for index, message in enumerate(raw)]
    blocks = (*system, *(block for message in messages for block in message.blocks))
    return [
        *_roles(messages),
        *_places(messages),
        *_pairs(_merged(messages)),
        *_empty(messages),
        *(violation for path, block in blocks for violation in _block(path, block)),
        *_markers(payload, blocks),
    ]


def _turn(path: Path, message: Any) -> Turn:
    block = view(message) or {}
    blocks = _blocks((*path, "content"), block.get("content"))
    return Turn(path, string(block.get("role")), blocks)


def _blocks(path: Path, content: Any) -> tuple[Placed, ...]:
    if isinstance(content, str) and content:
        return ((path, {"type": "text", "text": content}),)
    if content and not isinstance(content, (str, list, tuple)):
        return ((path, {}),)
    return tuple(((*path, index), view(part) or {}) for index, part in enumerate(sequence(content)))


def _merged(messages: Sequence[Turn]) -> list[Turn]:
    talk = [message for message in messages if message.role != "system"]
    groups = [list(group) for _, group in groupby(talk, key=lambda message: message.role)]
    return [
        Turn(group[0].path, group[0].role, tuple(b for m in group for b in m.blocks))
        for group in groups
    ]


def _roles(messages: Sequence[Turn]) -> Iterator[Violation]:
    for message in messages:
        if message.role not in _ROLES:
            yield Violation("role-unknown", message.path, f"{message.role!r} is no role here")
    talk = [message for message in messages if message.role != "system"]
    if talk and talk[0].role == "assistant":
        yield Violation("first-message-user", talk[0].path, "the first message is the assistant's")


def _places(messages: Sequence[Turn]) -> Iterator[Violation]:
    for message in messages:
        for path, block in message.blocks:
            kind = type_of(block)
            if _PLACES.get(kind, message.role) != message.role:
                yield Violation("block-role", path, f"{kind!r} in a message of {message.role!r}")


def _pairs(turns: Sequence[Turn]) -> Iterator[Violation]:
    seen: set[str] = set()
    nothing = Turn((), "", ())
    for before, turn in pairwise((nothing, *turns, nothing)):
        calls = before.ids("tool_use", "id")
        yield from repeated("call-duplicate", calls, seen)
        answered = {call_id for _, call_id in turn.ids("tool_result", "tool_use_id")}
        for path, call_id in calls:
            if call_id not in answered:
                yield Violation("call-unanswered", path, f"no result for {call_id!r} just after")
        yield from _results(turn, {call_id for _, call_id in calls})


def _results(turn: Turn, asked: set[str]) -> Iterator[Violation]:
    results = turn.ids("tool_result", "tool_use_id")
    yield from repeated("result-duplicate", results, set())
    for path, call_id in results:
        if call_id not in asked:
            yield Violation("result-orphan", path, f"no call {call_id!r} just before")
    kinds = [type_of(block) == "tool_result" for _, block in turn.blocks]
    if any(kinds[kinds.index(False) :] if False in kinds else ()):
        late = kinds.index(True, kinds.index(False))
        yield Violation("results-first", turn.blocks[late][0], "a result stands after other blocks")


def _empty(messages: Sequence[Turn]) -> Iterator[Violation]:
    for index, message in enumerate(messages):
        final = index == len(messages) - 1 and message.role == "assistant"
        if not message.blocks and not final:
            yield Violation("content-empty", message.path, "a message needs content")


def _block(path: Path, block: Block) -> Iterator[Violation]:
    kind = type_of(block)
    if kind == "text" and not string(block.get("text")).strip():
        yield Violation("text-empty", path, "a text block needs text")
    if kind == "thinking" and not string(block.get("signature")):
        yield Violation("thinking-unsigned", path, "a thinking block needs its signature")
    if kind in _THINKING and block.get("cache_control"):
        yield Violation("marker-place", path, f"{kind!r} takes no cache_control")
    if kind == "tool_result":
        yield from _result(path, block)


def _result(path: Path, block: Block) -> Iterator[Violation]:
    inner = _inner(path, block)
    for place, part in inner:
        if isinstance(place[-1], int):
            yield from _block(place, part)
        if block.get("is_error") is True and type_of(part) != "text":
            yield Violation("error-not-text", place, "a result with is_error holds only text")


def _inner(path: Path, block: Block) -> tuple[Placed, ...]:
    return _blocks((*path, "content"), block.get("content"))


def _markers(payload: Payload, blocks: Sequence[Placed]) -> Iterator[Violation]:
    results = [(path, block) for path, block in blocks if type_of(block) == "tool_result"]
    inner = [part for path, block in results for _, part in _inner(path, block)]
    tools = [view(tool) or {} for tool in offered(payload)]
    everything = (payload, *tools, *(block for _, block in blocks), *inner)
    count = sum(1 for block in everything if block.get("cache_control"))
    if count > _MARKERS:
        yield Violation("markers", (), f"{count} cache_control markers, {_MARKERS} are allowed")
