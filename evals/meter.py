"""Sizes of what was sent: tokens, and how far each request repeats the one before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agentctx.evals.host import Request, canonical, same, shown
from agentctx.tokens import Counter
from agentctx.values import Payload


@dataclass
class Tally:
    """Counts tokens, each text of a run once whatever the policy."""

    counter: Counter
    known: dict[str, int] = field(default_factory=dict)

    def count(self, text: str) -> int:
        """Return the tokens of one text."""
        tokens = self.known.get(text)
        if tokens is None:
            tokens = self.known[text] = self.counter.count(text)
        return tokens

    def message(self, message: Payload) -> int:
        """Return the tokens of a message's texts, calls and results."""
        content = message["content"]
        blocks = content if isinstance(content, list) else [{"text": content}]
        return sum(self._block(block) for block in blocks)

    def head(self, payload: Payload) -> int:
        """Return the tokens of what stands before the messages: system prompt and tools."""
        tools = payload.get("tools") or []
        system = payload.get("system") or ""
        texts = [system if isinstance(system, str) else canonical(system)]
        return sum(self.count(text) for text in texts + [_spec(tool) for tool in tools])

    def _block(self, block: dict[str, Any]) -> int:
        if "input" in block:
            return self.count(block["name"]) + self.count(canonical(block["input"]))
        content = block.get("content", block.get("text", ""))
        if isinstance(content, list):
            return sum(self._block(part) for part in content)
        return self.count(content)


@dataclass(frozen=True, slots=True)
class Call:
    """One request in tokens: `prefix` of its `prompt` stood in the same place in the last one."""

    prefix: int
    prompt: int
    output: int = 0


@dataclass(slots=True)
class _Piece:
    message: Payload
    tokens: int


class Meter:
    """Measures the requests of one run in order.

    `shown` holds for each observation what the model saw from which request on; `moved` counts
    the requests that do not extend the one before (law 2).
    """

    def __init__(self, tally: Tally, standing: str = "") -> None:
        """Count `standing`, a text outside the messages, into every request."""
        self.calls: list[Call] = []
        self.shown: list[list[tuple[int, str]]] = []
        self.moved = 0
        self._tally = tally
        self._standing = tally.count(standing) if standing else 0
        self._pieces: list[_Piece] = []
        self._head: Payload | None = None
        self._head_tokens = 0

    def measure(self, sent: Payload, request: Request, output: int) -> None:
        """Take in one request as it was sent, and the tokens of its answer."""
        head = {key: value for key, value in sent.items() if key != "messages"}
        same_head = same(head, self._head)
        if not same_head:
            self._head = head
            self._head_tokens = self._tally.head(sent) + self._standing
        first, fresh = self._extend(sent["messages"])
        extends = same_head and first == len(self._pieces)
        if self.calls and not extends:
            self.moved += 1
        prefix = self._head_tokens + sum(p.tokens for p in self._pieces[:first]) if same_head else 0
        self._pieces[first:] = fresh
        prompt = self._head_tokens + sum(piece.tokens for piece in self._pieces)
        self.calls.append(Call(prefix, prompt, output))
        self._look(request, first)

    def _extend(self, messages: list[Payload]) -> tuple[int, list[_Piece]]:
        """Return how many messages are the last request's, and the pieces after them."""
        first = 0
        for piece, message in zip(self._pieces, messages, strict=False):
            if not same(piece.message, message):
                break
            first += 1
        fresh = [_Piece(m, self._tally.message(m)) for m in messages[first:]]
        return first, fresh

    def _look(self, request: Request, first: int) -> None:
        """Note what the model now sees of the observations in the messages from `first` on."""
        now = len(self.calls) - 1
        for place in reversed(request.places):
            if place.message < first:
                break
            text = shown(self._pieces[place.message].message, place)
            while len(self.shown) <= place.number:
                self.shown.append([])
            history = self.shown[place.number]
            if not history or history[-1][1] != text:
                history.append((now, text))


def _spec(tool: Payload) -> str:
    inner = tool.get("function", tool)
    schema = inner.get("input_schema", inner.get("parameters", {}))
    return f"{inner.get('name', '')}\n{inner.get('description', '')}\n{canonical(schema)}"
