"""The stream of a response, our calls left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentctx.wrap import shape
from agentctx.wrap.spoken import Spoken

_OPENING = frozenset({"response.created", "response.in_progress", "response.queued"})
_ENDING = frozenset({"response.completed", "response.failed", "response.incomplete"})


class ResponseWeaver:
    """See `spoken.Weaver`. The caller's response keeps the id of the first round throughout."""

    def __init__(self, hidden: frozenset[str], read: Callable[[Any], Spoken]) -> None:
        self._hidden = hidden
        self._read = read
        self._round = 0
        self._id: Any = None
        self._sequence = 0
        self._next_index = 0
        self._shown: list[Any] = []
        self._spent: Any = None
        self._begin()

    def _begin(self) -> None:
        self._places: dict[int, int] = {}
        self._ours: set[int] = set()
        self._items: dict[int, Any] = {}
        self._last: Any = None
        self.done = False

    def feed(self, event: Any) -> list[Any]:
        """Return the events that the caller sees of one."""
        kind, index = shape.field(event, "type"), shape.field(event, "output_index")
        if kind in _ENDING:
            self.done, self._last = True, event
            return []
        if kind in _OPENING:
            if self._id is None:
                self._id = shape.field(event, "response", "id")
            return [] if self._round else self._numbered(event)
        if index is None:
            return self._numbered(event)
        if kind == "response.output_item.added":
            self._open(index, shape.field(event, "item"))
        elif kind == "response.output_item.done":
            self._items[index] = shape.field(event, "item")
        place = self._places.get(index)
        if place is None:
            return []
        return self._numbered(event if place == index else shape.put(event, output_index=place))

    def spoken(self) -> Spoken:
        """Return what was said in this round."""
        response = shape.field(self._last, "response")
        if response is None:
            return Spoken(items=(), whole=False)
        return self._read(shape.put(response, output=self._output(response)))

    def resume(self) -> None:
        """Drop this round's ending; the next round's items go on in its place."""
        response = shape.field(self._last, "response")
        self._spent = shape.added(self._spent, shape.field(response, "usage"))
        self._shown += self._visible(response)
        self._round += 1
        self._begin()

    def finish(self) -> list[Any]:
        """Return the event that ends the stream, with all that the caller saw in it."""
        if self._last is None:
            return []
        response = shape.field(self._last, "response")
        if not self._round and not self._ours:
            return self._numbered(self._last)
        changes = {"id": self._id, "output": [*self._shown, *self._visible(response)]}
        if self._spent is not None:
            changes["usage"] = shape.added(self._spent, shape.field(response, "usage"))
        event = shape.put(self._last, response=shape.put(response, **changes))
        return self._numbered(event)

    def _open(self, index: int, item: Any) -> None:
        if self._is_ours(item):
            self._ours.add(index)
            return
        self._places[index] = self._next_index
        self._next_index += 1

    def _output(self, response: Any) -> list[Any]:
        """Return the items of a round; some hosts end with a response that has none."""
        given = shape.field(response, "output")
        return list(given) if given else [self._items[index] for index in sorted(self._items)]

    def _visible(self, response: Any) -> list[Any]:
        return [item for item in self._output(response) if not self._is_ours(item)]

    def _is_ours(self, item: Any) -> bool:
        call = shape.field(item, "type") == "function_call"
        return bool(call and shape.field(item, "name") in self._hidden)

    def _numbered(self, event: Any) -> list[Any]:
        """Return the event with the next number of the caller's sequence."""
        given, number = shape.field(event, "sequence_number"), self._sequence
        self._sequence += 1
        if given is None or given == number:
            return [event]
        return [shape.put(event, sequence_number=number)]
