"""A decision about one observation, and how it lies in a database row."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar, cast

from agentctx.errors import LedgerError
from agentctx.values import Span

_T = TypeVar("_T")
_NAMES = ("session", "call_id", "content_id", "emitted_id", "handle")
_SPAN = ("first", "last", "hidden", "source")
_REMEMBERED = 1 << 14
"""Characters of spans that are kept in memory once read; those of an endless command would fill it."""

Key: TypeAlias = tuple[str, str]
"""The call id and the content id of an observation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the model sees of one observation, settled once and replayed from then on.

    `text` is None when the observation stays as it came. `emitted_id` is the content id of what
    the model sees, `refs` are the calls that `text` points to.
    """

    session: str
    call_id: str
    content_id: str
    emitted_id: str
    text: str | None = None
    handle: str = ""
    spans: tuple[Span, ...] = ()
    rules: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    tokens_before: int = 0
    tokens_after: int = 0

    @property
    def key(self) -> Key:
        """What names it within its session."""
        return self.call_id, self.content_id

    def columns(self) -> dict[str, Any]:
        """Return the values of its row."""
        spans = [[getattr(span, name) for span in self.spans] for name in _SPAN]
        return {
            "session": self.session,
            "call_id": self.call_id,
            "content_id": self.content_id,
            "emitted_id": self.emitted_id,
            "text": self.text,
            "handle": self.handle,
            "spans": json.dumps(spans),
            "rules": json.dumps(self.rules),
            "refs": json.dumps(self.refs),
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "at": time.time(),
        }

    @classmethod
    def of(cls, row: Any) -> Decision:
        """Read a row; LedgerError when something else than `columns` wrote it."""
        try:
            names = _all([getattr(row, name) for name in _NAMES], str)
            before, after = _all([row.tokens_before, row.tokens_after], int)
            return cls(
                **dict(zip(_NAMES, names, strict=True)),
                text=None if row.text is None else _checked(row.text, str),
                spans=_spans(row.spans),
                rules=_strings(row.rules),
                refs=_strings(row.refs),
                tokens_before=before,
                tokens_after=after,
            )
        except (TypeError, ValueError) as error:
            raise LedgerError(
                f"decision {row.number} is damaged: {error}: "
                "move the ledger away, the originals are safe in the archive"
            ) from error


def _spans(text: str) -> tuple[Span, ...]:
    return _short_spans(text) if len(text) <= _REMEMBERED else _read_spans(text)


@lru_cache(maxsize=64)
def _short_spans(text: str) -> tuple[Span, ...]:
    return _read_spans(text)


def _read_spans(text: str) -> tuple[Span, ...]:
    first, last, hidden, source = json.loads(text)  # by column: a few checks for hundreds of spans
    values = zip(
        _all(first, int), _all(last, int), _all(hidden, str), _all(source, str), strict=True
    )
    return tuple(Span(*value) for value in values)


@lru_cache(maxsize=1024)  # the same few lists of rules come again and again
def _strings(text: str) -> tuple[str, ...]:
    return tuple(_all(json.loads(text), str))


def _all(values: Any, kind: type[_T]) -> list[_T]:
    if not set(map(type, _checked(values, list))) <= {kind}:
        raise TypeError(f"{str(values)[:40]!r} is no list of {kind.__name__}")
    return cast("list[_T]", values)


def _checked(value: Any, kind: type[_T]) -> _T:
    if not isinstance(value, kind):
        raise TypeError(f"{str(value)[:40]!r} is no {kind.__name__}")
    return value
