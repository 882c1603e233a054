"""The redactor that ships: known values, then known formats, in two linear passes."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

from agentctx.errors import RedactionError
from agentctx.patterns import Pattern, compiled
from agentctx.secrets import environment
from agentctx.secrets.formats import CONTEXTUAL, FORMATS
from agentctx.secrets.samples import is_manual, is_template, is_wordy

_OPEN = "⟪".encode()
_PLACEHOLDER = "⟪secret:[a-z-]{1,32}:[0-9a-f]{8}⟫".encode()
_PASSES = 100
_MEMORY = 64 << 20  # so many formats and values need more than the usual


class DefaultRedactor:
    """Puts `⟪secret:<kind>:<8 hex>⟫` in the place of a secret; equal secrets, equal placeholders."""

    def __init__(self, key: bytes, env: Mapping[str, str]) -> None:
        """Use `key` for the placeholders, and hide the values of credentials in `env`."""
        self._key = key
        self._known = {
            _encoded(spelling): _encoded(value)
            for spelling, value in environment.secrets(env).items()
        }
        literals = (re.escape(value) for value in self._known)
        self._values = _compiled(b"|".join((_PLACEHOLDER, *literals))) if self._known else None

    def redact(self, text: str) -> str:
        """Return `text` without its secrets; lines neither come nor go, but for those of PEM blocks.

        Raises:
            RedactionError: anything at all went wrong.
        """
        try:
            raw = _encoded(text)
            hidden = self._settled(raw)
            return text if hidden == raw else hidden.decode("utf-8", "surrogatepass")
        except Exception as error:
            raise RedactionError(
                f"secrets could not be removed ({type(error).__name__}): the text is withheld"
            ) from None

    def _settled(self, raw: bytes) -> bytes:
        """Hide until nothing more is found: what was hidden may have shielded its neighbour."""
        for _ in range(_PASSES):
            hidden = self._hide_formats(self._hide_values(raw))
            if hidden == raw:
                return raw
            raw = hidden
        raise RecursionError

    def _hide_values(self, raw: bytes) -> bytes:
        return raw if self._values is None else _replaced(raw, self._values, self._value)

    def _hide_formats(self, raw: bytes) -> bytes:
        return _replaced(raw, _formats(), self._format)

    def _value(self, found: Any) -> tuple[int, int, bytes | None]:
        start, end = found.span()
        value = self._known.get(found.group())
        return start, end, value and self._placeholder(_kind_of(value), value)

    def _format(self, found: Any) -> tuple[int, int, bytes | None]:
        start, end = found.span(found.lastindex)
        value, kind = found.group(found.lastindex), _kind(found)
        return start, end, None if _doubtful(kind, value) else self._placeholder(kind, value)

    def _placeholder(self, kind: str, value: bytes) -> bytes:
        digest = hmac.new(self._key, value, hashlib.sha256).hexdigest()[:8]
        return f"⟪secret:{kind}:{digest}⟫".encode()


Verdict: TypeAlias = Callable[[Any], tuple[int, int, bytes | None]]
"""Match → first and last byte of the secret in it, and what stands there instead, if anything."""


def _replaced(raw: bytes, pattern: Pattern, verdict: Verdict) -> bytes:
    kept, copied, at = [], 0, 0
    while found := pattern.search(raw, at):
        start, end, placeholder = verdict(found)
        if placeholder is None:
            at = end if found.group().startswith(_OPEN) else found.start() + 1
            continue
        kept += [raw[copied:start], placeholder]
        copied = at = end
    return b"".join((*kept, raw[copied:])) if kept else raw


def _doubtful(kind: str, value: bytes) -> bool:
    """Return whether a match is a sample, a template or a placeholder of ours."""
    if kind == "private-key":
        return False
    text = value.decode("utf-8", "replace")
    if _OPEN in value or is_template(text):
        return True
    if kind == "url-password":
        return is_manual(text)
    return kind in CONTEXTUAL and is_wordy(text)


def _kind_of(value: bytes) -> str:
    """Return the format of a known value, so that its placeholder is the same without the value."""
    found = _formats().search(value)
    if found and found.span(found.lastindex) == (0, len(value)):
        return _kind(found)
    return "env"


def _kind(found: Any) -> str:
    index: int = found.lastindex
    return FORMATS[index - 1][0]


@cache
def _formats() -> Pattern:
    return _compiled("|".join(pattern for _, pattern in FORMATS).encode())


def _compiled(pattern: bytes) -> Pattern:
    return compiled(pattern, memory=_MEMORY, latin1=True)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
