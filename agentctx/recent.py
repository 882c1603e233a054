"""Values that are made when they are first asked for; the longest unused ones are let go."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """Up to `most` values by name, for any number of threads."""

    def __init__(self, most: int) -> None:
        """Begin empty."""
        self._most, self._lock = most, Lock()
        self._values: OrderedDict[str, Value] = OrderedDict()

    def get(self, name: str, make: Callable[[], Value]) -> Value:
        """Return the value of that name, made now if it is not there."""
        with self._lock:
            if name not in self._values:
                self._values[name] = make()
            self._values.move_to_end(name)
            if len(self._values) > self._most:
                self._values.popitem(last=False)
            return self._values[name]
