"""The stream of a chat completion, our calls left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agentctx.values import ToolCall
from agentctx.wire.views import parse, string
from agentctx.wrap import shape
from agentctx.wrap.spoken import LONGEST_ARGUMENTS, Spoken

_THOUGHTS = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
_EMPTY = {"role": None, "content": None, "tool_calls": None}


@dataclass(slots=True)
class _Call:
    """A call as far as it has streamed; `ours` is None while its name may become either."""

    raw: Any
    first: dict[str, Any]
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    size: int = 0
    ours: bool | None = None
    index: int = 0
    held: list[Any] = field(default_factory=list)

    def take(self, piece: Any) -> None:
        """Add a fragment."""
        self.id = self.id or string(shape.field(piece, "id"))
        self.name += string(shape.field(piece, "function", "name"))
        text = string(shape.field(piece, "function", "arguments"))
        self.size += len(text)
        if self.size <= LONGEST_ARGUMENTS or not self.ours:
            self.arguments.append(text)

    @property
    def text(self) -> str:
        """The arguments; those of a call that is too long are no JSON any more."""
        return "".join(self.arguments)

    def item(self) -> dict[str, Any]:
        """Return the call as a message holds it."""
        readable = self.text if not self.ours or parse(self.text) is not None else "{}"
        function = {"name": self.name, "arguments": readable}
        return {**self.first, "id": self.id, "type": "function", "function": function}

    def call(self) -> ToolCall:
        """Return the call as a value."""
        return ToolCall(id=self.id, name=self.name, arguments=parse(self.text) or {})


class ChatWeaver:
    """See `spoken.Weaver`. The choice 0 is read; requests for several are not intercepted."""

    def __init__(self, hidden: frozenset[str], said: Callable[..., Spoken]) -> None:
        self.done = False
        self._hidden = hidden
        self._said = said
        self._round = 0
        self._head: dict[str, Any] = {}
        self._shown_calls = 0
        self._spent: Any = None
        self._begin()

    def _begin(self) -> None:
        self._text: list[str] = []
        self._thoughts: dict[str, Any] = {}
        self._calls: list[_Call] = []
        self._held: list[Any] = []
        self._usage: Any = None
        self._stop = ""
        self._model = self._id = ""

    @property
    def _ours(self) -> bool:
        return any(call.ours for call in self._calls)

    def feed(self, event: Any) -> list[Any]:
        """Return the chunks that the caller sees of one."""
        event = self._same_stream(event)
        report = shape.field(event, "usage")
        if report is not None:
            self._usage = report
            if self._spent is not None:
                event = shape.put(event, usage=shape.added(self._spent, report))
        choice = shape.field(event, "choices", 0)
        if choice is None:
            return self._last(event) if report is not None else [event]
        return self._choice(event, choice)

    def spoken(self) -> Spoken:
        """Return what was said in this round."""
        for call in self._calls:
            call.ours = bool(call.ours)
        message: dict[str, Any] = {"role": "assistant", "content": "".join(self._text) or None}
        message.update(self._thoughts)
        if self._calls:
            message["tool_calls"] = [call.item() for call in self._calls]
        return self._said(
            message,
            calls=tuple(call.call() for call in self._calls),
            usage=self._usage,
            stop=self._stop,
            name=self._id,
            model=self._model,
        )

    def resume(self) -> None:
        """Drop this round's ending; the next round's chunks go on in its place."""
        self._spent = shape.added(self._spent, self._usage)
        self._round += 1
        self._begin()

    def finish(self) -> list[Any]:
        """Return the ending that was held back."""
        ended, self._held = self._held, []
        return [self._ending(event) for event in ended]

    def _same_stream(self, event: Any) -> Any:
        self._model = string(shape.field(event, "model")) or self._model
        self._id = string(shape.field(event, "id")) or self._id
        if not self._head:
            self._head = {name: shape.field(event, name) for name in ("id", "created")}
        elif self._round:
            return shape.put(event, **self._head)
        return event

    def _choice(self, event: Any, choice: Any) -> list[Any]:
        delta = shape.field(choice, "delta")
        self._gather(delta)
        given = shape.field(delta, "tool_calls") or []
        stop = shape.field(choice, "finish_reason")
        pieces = [seen for piece in given for seen in self._piece(piece)]
        pieces += self._undecided() if stop else []
        delta = self._visible(delta, given, pieces)
        if delta is not shape.field(choice, "delta"):
            event = _with(event, choice, delta=delta)
        if stop:
            self._stop = string(stop)
            return self._last(event)
        return [] if _silent(delta) and (given or self._round) else [event]

    def _visible(self, delta: Any, given: list[Any], pieces: list[Any]) -> Any:
        changes: dict[str, Any] = {}
        if pieces != given:
            changes["tool_calls"] = pieces or None
        if self._round and shape.field(delta, "role"):
            changes["role"] = None
        return shape.put(delta, **changes) if changes else delta

    def _gather(self, delta: Any) -> None:
        self._text.append(string(shape.field(delta, "content")))
        for name in _THOUGHTS:
            thought = shape.plain(shape.field(delta, name))
            if thought:
                self._thoughts[name] = _joined(self._thoughts.get(name), thought)

    def _piece(self, piece: Any) -> list[Any]:
        """Return what the caller sees of a fragment: nothing, itself, or what was held too."""
        call = self._call(piece)
        call.take(piece)
        if call.ours is False:
            return [shape.put(piece, index=call.index)]
        call.ours = call.name in self._hidden or None
        if call.ours:
            call.held = [] if call.size else [*call.held, piece]
            return []
        call.held.append(piece)
        open_ = any(name.startswith(call.name) for name in self._hidden)
        return [] if open_ and not call.size else self._release(call)

    def _call(self, piece: Any) -> _Call:
        """Return the call that a fragment belongs to; some hosts number all of them 0."""
        raw, call_id = shape.field(piece, "index"), shape.field(piece, "id")
        for call in reversed(self._calls):
            if call.raw == raw and (not call_id or call.id in ("", call_id)):
                return call
        told = shape.plain(piece).items()
        first = {k: v for k, v in told if v is not None and k != "index"}
        self._calls.append(_Call(raw=raw, first=first))
        return self._calls[-1]

    def _release(self, call: _Call) -> list[Any]:
        call.ours, call.index = False, self._shown_calls
        self._shown_calls += 1
        held, call.held = call.held, []
        return [shape.put(piece, index=call.index) for piece in held]

    def _undecided(self) -> list[Any]:
        waiting = [call for call in self._calls if call.ours is None]
        return [piece for call in waiting for piece in self._release(call)]

    def _last(self, event: Any) -> list[Any]:
        """Hold an event that ends the stream when there is one of our calls to answer."""
        if not self._ours:
            return [event]
        choice = shape.field(event, "choices", 0)
        if choice is None or _silent(shape.field(choice, "delta")):
            self._held.append(event)
            return []
        self._held.append(_with(event, choice, delta=_emptied(choice)))
        return [_with(event, choice, finish_reason=None)]

    def _ending(self, event: Any) -> Any:
        choice = shape.field(event, "choices", 0)
        if shape.field(choice, "finish_reason") == "tool_calls" and not self._shown_calls:
            return _with(event, choice, finish_reason="stop")
        return event


def _with(event: Any, choice: Any, **changes: Any) -> Any:
    return shape.put(event, choices=[shape.put(choice, **changes)])


def _emptied(choice: Any) -> Any:
    delta = shape.field(choice, "delta")
    return shape.put(delta, **{k: v for k, v in _EMPTY.items() if shape.field(delta, k)})


def _silent(delta: Any) -> bool:
    """Say whether a delta tells the caller nothing."""
    told = shape.plain(delta) if delta is not None else {}
    return not any(value for name, value in told.items() if name != "index")


def _joined(one: Any, other: Any) -> Any:
    if one is None:
        return other
    if isinstance(one, str):
        return one + string(other)
    if one and _goes_on(one[-1], other[0]):
        told = string(one[-1].get("thinking")) + string(other[0].get("thinking"))
        return [*one[:-1], {**one[-1], **other[0], "thinking": told}, *other[1:]]
    return [*one, *other]


def _goes_on(block: Any, piece: Any) -> bool:
    same = shape.field(block, "type") == shape.field(piece, "type") == "thinking"
    return same and not shape.field(block, "signature")
