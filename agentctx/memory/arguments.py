"""The arguments of a call to one of memory's tools, checked; many clients send lists as JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from agentctx.errors import ToolError

_SHORT = 60
_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a model gave to `tool`."""

    tool: str
    given: Mapping[str, Any]

    @classmethod
    def of(cls, tool: str, given: Any, known: Sequence[str]) -> Arguments:
        """Return the arguments that stand in a call; null counts as not given.

        Raises:
            ToolError: they are no mapping, or hold something that the tool does not know.
        """
        if isinstance(given, str):
            given = _decoded(given) if given.strip() else {}
        if not isinstance(given, Mapping):
            raise ToolError(f"{tool} takes an object: give {_listed(known)}")
        for name in given:
            if name not in known:
                near = get_close_matches(str(name), known, 1)
                remedy = f"did you mean {near[0]!r}?" if near else f"it takes {_listed(known)}"
                raise ToolError(f"{tool} does not know {short(name)}: {remedy}")
        return cls(tool, {name: value for name, value in given.items() if value is not None})

    def need(self, name: str, what: str) -> str:
        """Return a text that has to be there."""
        text = self.text(name).strip()
        if not text:
            raise ToolError(f"{self.tool} needs {name!r}: {what}")
        return text

    def text(self, name: str) -> str:
        """Return a text, "" when it is not there."""
        value = self.given.get(name, "")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self._wrong(name, value, "a text")
        try:
            return str(value)
        except ValueError:  # Python writes no number of thousands of digits
            raise self._wrong(name, value, "a text") from None

    def optional(self, name: str) -> str | None:
        """Return a text, None when it is not there."""
        return self.text(name) if name in self.given else None

    def number(self, name: str, otherwise: int) -> int:
        """Return a whole number."""
        value = self.given.get(name, otherwise)
        if isinstance(value, str) and len(value) <= _DIGITS and value.strip().isdecimal():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 10**_DIGITS:
            raise self._wrong(name, value, "a whole number")
        return value

    def choice(self, name: str, known: Sequence[str], otherwise: str) -> str:
        """Return one of several words."""
        value = self.text(name).strip().lower() or otherwise
        if value not in known:
            raise ToolError(f"{name} {short(value)} is unknown: use one of {', '.join(known)}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; one text is a list of one."""
        found = self.items(name)
        for one in found:
            if not isinstance(one, str):
                raise self._wrong(name, one, "a list of texts")
        return found

    def items(self, name: str) -> tuple[Any, ...]:
        """Return a list of texts or objects."""
        value = self.given.get(name, ())
        if isinstance(value, str):
            read = _decoded(value)
            value = read if isinstance(read, list) else [value] if value.strip() else []
        if isinstance(value, Mapping):
            value = [value]
        if not isinstance(value, list | tuple):
            raise self._wrong(name, value, "a list of texts")
        for one in value:
            if not isinstance(one, str | Mapping):
                raise self._wrong(name, one, "a list of texts")
        return tuple(value)

    def mapping(self, name: str) -> dict[str, str]:
        """Return an object whose values are texts."""
        value = self.given.get(name, {})
        if isinstance(value, str):
            value = _decoded(value) if value.strip() else {}
        if not isinstance(value, Mapping) or not all(isinstance(v, str) for v in value.values()):
            raise self._wrong(name, self.given[name], "an object of texts")
        return {str(key): text for key, text in value.items()}

    def _wrong(self, name: str, value: object, wanted: str) -> ToolError:
        return ToolError(f"{name} {short(value)} of {self.tool} cannot be used: give {wanted}")


def short(value: object) -> str:
    """Return a value on one short line."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__} that is too large"
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 3]}..."


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"
