"""The agent's own loop, replayed: the payload that it would send at each turn.

A host whose tools are native (`anthropic`) keeps raw results in its history; one whose results
are user messages (`openai_chat`) keeps what the environment handed on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentctx.evals.trajectory import Seen, Trajectory, Turn
from agentctx.values import Payload

MAX_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class Place:
    """Where an observation stands: message `message`, between the host's own words.

    `number` counts the observations of the run from 0.
    """

    number: int
    message: int
    call_id: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """What the host is about to send, and where its observations stand in it."""

    payload: Payload
    wire: str
    places: tuple[Place, ...]


class Host:
    """One run's history; `answer` and `observe` append to it."""

    def __init__(self, trajectory: Trajectory) -> None:
        """Begin with the messages that stood before the first call."""
        self.native = trajectory.native
        self.wire = trajectory.wire
        self.messages: list[Payload] = list(trajectory.opening)
        self.places: list[Place] = []
        self._head = _head(trajectory)
        self._written = [snapshot(m) for m in self.messages]

    def request(self) -> Request:
        """Return the next request; its message objects are those of the request before."""
        payload = {**self._head, "messages": list(self.messages)}
        return Request(payload, self.wire, tuple(self.places))

    def answer(self, turn: Turn) -> None:
        """Append what the model said."""
        if not self.native or turn.call is None:
            self._append({"role": "assistant", "content": turn.text})
            return
        blocks: list[Payload] = [{"type": "text", "text": turn.text}] if turn.text else []
        call = turn.call
        arguments = dict(call.arguments)
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": arguments})
        self._append({"role": "assistant", "content": blocks})

    def observe(self, turn: Turn, text: str) -> None:
        """Append a result of which the environment hands on `text`."""
        seen = turn.seen or Seen(text="")
        place = Place(len(self.places), len(self.messages), turn.call_id, seen.before, seen.after)
        self.places.append(place)
        self._append(self._result(seen, text, turn.call_id))

    def note(self, text: str) -> None:
        """Append a user message that is no result."""
        self._append({"role": "user", "content": text})

    def touched(self) -> int:
        """Return how many messages of the history somebody changed in place."""
        return sum(not same(m, w) for m, w in zip(self.messages, self._written, strict=True))

    def _append(self, message: Payload) -> None:
        self.messages.append(message)
        self._written.append(snapshot(message))

    def _result(self, seen: Seen, text: str, call_id: str) -> Payload:
        if not self.native:
            return {"role": "user", "content": f"{seen.before}{text}{seen.after}"}
        block: Payload = {"type": "tool_result", "tool_use_id": call_id, "content": text}
        if seen.exit_code:
            block["is_error"] = True
        return {"role": "user", "content": [block]}


def shown(message: Mapping[str, Any], place: Place) -> str:
    """Return the text of the observation at `place` as this message carries it."""
    content = message["content"]
    if isinstance(content, list):
        blocks = (block for block in content if block.get("tool_use_id") == place.call_id)
        content = next((block.get("content", "") for block in blocks), "")
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content)
    end = len(content) - len(place.after)
    return str(content)[len(place.before) : end]


def replaced(message: Payload, place: Place, text: str) -> Payload:
    """Return a copy of the message that carries `text` at `place`."""
    if not isinstance(message["content"], list):
        return {**message, "content": f"{place.before}{text}{place.after}"}
    blocks = [
        {**block, "content": text} if block.get("tool_use_id") == place.call_id else block
        for block in message["content"]
    ]
    return {**message, "content": blocks}


def same(one: object, other: object) -> bool:
    """Tell whether two pieces of a payload would be the same bytes (key order counts)."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def snapshot(value: Any) -> Any:
    """Return a copy of a piece of a payload that shares nothing that can change."""
    if isinstance(value, dict):
        return {key: snapshot(item) for key, item in value.items()}
    return [snapshot(item) for item in value] if isinstance(value, list) else value


def canonical(value: object) -> str:
    """Return a piece of a payload as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _head(trajectory: Trajectory) -> Payload:
    if not trajectory.native:
        return {"model": trajectory.model}
    head = {"model": trajectory.model, "max_tokens": MAX_TOKENS, "tools": _tools(trajectory)}
    return head | {"system": " host" * trajectory.host_prompt} if trajectory.host_prompt else head


def _tools(trajectory: Trajectory) -> list[Payload]:
    """Return the tools that the run used, with the argument names seen (schemas unrecorded)."""
    names: dict[str, dict[str, None]] = {}
    for turn in trajectory.turns:
        if turn.call:
            names.setdefault(turn.call.name, {}).update(dict.fromkeys(turn.call.arguments))
    return [
        {
            "name": name,
            "description": "",
            "input_schema": {"type": "object", "properties": {key: {} for key in sorted(keys)}},
        }
        for name, keys in sorted(names.items())
    ]
