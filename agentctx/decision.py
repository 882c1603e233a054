"""A decision about one observation, and how it lies in a database row."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from agentctx.errors import LedgerError
from agentctx.values import Span

_T = TypeVar("_T")

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
        spans = [[span.first, span.last, span.hidden, span.source] for span in self.spans]
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
            return cls(
                session=_checked(row.session, str),
                call_id=_checked(row.call_id, str),
                content_id=_checked(row.content_id, str),
                emitted_id=_checked(row.emitted_id, str),
                text=None if row.text is None else _checked(row.text, str),
                handle=_checked(row.handle, str),
                spans=tuple(_span(span) for span in _checked(json.loads(row.spans), list)),
                rules=_strings(row.rules),
                refs=_strings(row.refs),
                tokens_before=_checked(row.tokens_before, int),
                tokens_after=_checked(row.tokens_after, int),
            )
        except (TypeError, ValueError) as error:
            raise LedgerError(
                f"decision {row.number} is damaged: {error}: "
                "move the ledger away, the originals are safe in the archive"
            ) from error


def _span(value: list[Any]) -> Span:
    first, last, hidden, source = value
    return Span(
        _checked(first, int), _checked(last, int), _checked(hidden, str), _checked(source, str)
    )


def _strings(value: str) -> tuple[str, ...]:
    return tuple(_checked(item, str) for item in _checked(json.loads(value), list))


def _checked(value: Any, kind: type[_T]) -> _T:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.40} is no {kind.__name__}")
    return value
