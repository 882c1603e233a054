"""The stream of an Anthropic message, our calls left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentctx.wire.views import parse, string
from agentctx.wrap import shape
from agentctx.wrap.spoken import LONGEST_ARGUMENTS, Spoken

_COUNTS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens",
)


class MessageWeaver:
    """See `spoken.Weaver`."""

    def __init__(self, hidden: frozenset[str], said: Callable[..., Spoken]) -> None:
        self._hidden = hidden
        self._said = said
        self._round = 0
        self._next_index = 0
        self._shown_calls = 0
        self._spent: dict[str, Any] | None = None
        self._begin()

    def _begin(self) -> None:
        self._blocks: dict[int, dict[str, Any]] = {}
        self._json: dict[int, list[str]] = {}
        self._sizes: dict[int, int] = {}
        self._places: dict[int, int] = {}
        self._held: list[Any] = []
        self._message: Any = None
        self._usage: dict[str, Any] = {}
        self._stop = ""
        self.done = False

    @property
    def _ours(self) -> bool:
        return len(self._places) < len(self._blocks)

    def feed(self, event: Any) -> list[Any]:
        """Return the events that the caller sees of one."""
        match shape.field(event, "type"):
            case "message_start":
                return self._start(event)
            case "content_block_start":
                return self._open(event)
            case "content_block_delta":
                self._add(shape.field(event, "index"), shape.plain(shape.field(event, "delta")))
                return self._placed(event)
            case "content_block_stop":
                return self._placed(event)
            case "message_delta":
                return self._delta(event)
            case "message_stop":
                self.done = True
                self._held.append(event)
                return []
            case _:
                return [event]

    def spoken(self) -> Spoken:
        """Return what was said in this round, every block whole."""
        return self._said(
            [self._whole(index) for index in sorted(self._blocks)],
            usage=self._usage,
            stop=self._stop,
            reply=self._message,
        )

    def resume(self) -> None:
        """Drop this round's ending; the next round's blocks go on in its place."""
        self._spent = shape.added(self._spent, self._usage)
        self._round += 1
        self._begin()

    def finish(self) -> list[Any]:
        """Return the ending: the message delta if it was held, and the stop."""
        return self._held

    def _start(self, event: Any) -> list[Any]:
        self._message = shape.field(event, "message")
        self._usage = _told(shape.field(self._message, "usage"))
        return [] if self._round else [event]

    def _open(self, event: Any) -> list[Any]:
        index = shape.field(event, "index")
        block = dict(shape.plain(shape.field(event, "content_block")))
        self._blocks[index] = block
        if block.get("type") == "tool_use" and block.get("name") in self._hidden:
            return []
        self._shown_calls += block.get("type") == "tool_use"
        self._places[index] = self._next_index
        self._next_index += 1
        return self._placed(event)

    def _placed(self, event: Any) -> list[Any]:
        index = shape.field(event, "index")
        place = self._places.get(index)
        if place is None:
            return []
        return [event if place == index else shape.put(event, index=place)]

    def _delta(self, event: Any) -> list[Any]:
        self._stop = string(shape.field(event, "delta", "stop_reason"))
        report = shape.field(event, "usage")
        self._usage = {**self._usage, **_told(report)}
        if self._spent is not None:
            total = shape.added(self._spent, self._usage)
            counts = {name: total[name] for name in _COUNTS if name in total}
            event = shape.put(event, usage=shape.put(report, **counts))
        if not self._ours:
            return [event]
        if self._stop == "tool_use" and not self._shown_calls:
            delta = shape.put(shape.field(event, "delta"), stop_reason="end_turn")
            event = shape.put(event, delta=delta)
        self._held.append(event)
        return []

    def _add(self, index: int, delta: dict[str, Any]) -> None:
        """Fold a delta into its block."""
        block = self._blocks[index]
        match delta.get("type"):
            case "input_json_delta":
                self._add_json(index, delta["partial_json"])
            case "citations_delta":
                block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
            case "signature_delta":
                block["signature"] = delta["signature"]
            case _:
                for name, value in delta.items():
                    if name != "type":
                        old = block.get(name)
                        both = isinstance(old, str) and isinstance(value, str)
                        block[name] = old + value if both else value

    def _add_json(self, index: int, text: str) -> None:
        size = self._sizes.get(index, 0) + len(text)
        self._sizes[index] = size
        if size <= LONGEST_ARGUMENTS or index in self._places:
            self._json.setdefault(index, []).append(text)

    def _whole(self, index: int) -> dict[str, Any]:
        block = self._blocks[index]
        text = "".join(self._json.get(index, ()))
        if not text:
            return block
        return {**block, "input": parse(text) or {}}  # a limit, ours or the model's, may cut it


def _told(report: Any) -> dict[str, Any]:
    told = shape.plain(report) if report is not None else {}
    return {name: value for name, value in told.items() if value is not None}
