"""The lines that have left a terminal's window for good."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentctx.terminal.lines import Line, number
from agentctx.terminal.row import Row


class Scrollback:
    """Finished rows as lines; rows that wrapped are one line again."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._lines: list[Line] = []
        self._wrapped: list[Row] = []

    def add(self, rows: Iterable[Row]) -> None:
        """Take rows that can no longer change."""
        for row in rows:
            if row.wrapped:
                row.settle()
                self._wrapped.append(row)
            elif self._wrapped:
                self._wrapped.append(row)
                self._join()
            else:
                self._lines.append(Line(row.text, row.first, row.last or row.first))

    def add_plain(self, texts: Sequence[str], first: int) -> None:
        """Take texts that are raw lines as they stand, the first of them number `first`."""
        self._lines += number(texts, range(first, first + len(texts)))

    def lines(self) -> tuple[Line, ...]:
        """Return all lines."""
        if self._wrapped:
            self._join()
        return tuple(self._lines)

    def _join(self) -> None:
        rows = self._wrapped
        first = min(row.first for row in rows)
        last = max(row.last or row.first for row in rows)
        self._lines.append(Line("".join(row.text for row in rows), first, last))
        rows.clear()
