"""One row of a screen: cells that can be overwritten, and the raw lines that touched it."""

from __future__ import annotations

from agentctx.terminal.width import cells, measure

NO_TAB = 1 << 30  # past the end of any row


class Row:
    """A row of a screen.

    A text put on a blank row is kept as it is; it becomes cells when something is to change in it.
    """

    __slots__ = ("_cells", "_edited", "_tabs_from", "_text", "first", "last", "wrapped")

    def __init__(self, first: int, last: int = 0) -> None:
        """Make a blank row at raw line `first`; `last` is 0 while nothing has touched it."""
        self._text = ""
        self._cells: list[str] | None = None
        self._edited = False
        self._tabs_from = NO_TAB
        self.first = first
        self.last = last
        self.wrapped = False

    @property
    def text(self) -> str:
        """What the row shows; where something was changed in it, without spaces at its end."""
        if self._cells is None:
            return self._text
        text = "".join(self._cells)
        return text.rstrip(" ") if self._edited and not self.wrapped else text

    @property
    def blank(self) -> bool:
        """Whether the row has no cell at all."""
        return not self._cells if self._cells is not None else not self._text

    @property
    def width(self) -> int:
        """The columns in use."""
        return measure(self._text) if self._cells is None else len(self._cells)

    def settle(self) -> None:
        """Give up the cells of a row that can no longer change."""
        self._text, self._cells = self.text, None

    def fill(self, text: str) -> None:
        """Make `text` the whole row."""
        self._text, self._cells, self._edited = text, None, False

    def cells(self) -> list[str]:
        """Return the row's cells, to be changed in place."""
        if self._cells is None:
            self._cells = cells(self._text)
            if "\t" in self._text:
                self._tabs_from = 0
        return self._cells

    def write(self, at: int, new: list[str]) -> None:
        """Put `new` cells over those from column `at` on."""
        row = self.cells()
        if at > len(row):
            row.extend(" " * (at - len(row)))
        elif at < len(row):
            self._edited = True
        stop = at + len(new)
        _cut(row, at)
        _cut(row, stop)
        row[at:stop] = new
        if new[:1] == ["\t"]:
            self._tabs_from = min(self._tabs_from, at)

    def erase(self, start: int, stop: int) -> None:
        """Blank the columns from `start` to before `stop`."""
        row = self.cells()
        self._edited = True
        if stop >= len(row):
            _cut(row, start)
            del row[start:]
            self.wrapped = False
        elif start < stop:
            self.write(start, [" "] * (stop - start))

    def clear(self) -> None:
        """Blank the row."""
        self.fill("")
        self.wrapped = False

    def insert(self, at: int, count: int, limit: int) -> None:
        """Push what begins at column `at` to the right, out of the row past `limit`."""
        row = self._spaced()
        if at < len(row):
            _cut(row, at)
            row[at:at] = [" "] * count
            _cut(row, limit)
            del row[limit:]

    def delete(self, at: int, count: int) -> None:
        """Take `count` columns out at `at`; the rest moves left."""
        row = self._spaced()
        _cut(row, at)
        _cut(row, at + count)
        del row[at : at + count]

    def _spaced(self) -> list[str]:
        """Return the cells with tabs as spaces, since a tab that moves is as wide as it was."""
        row = self.cells()
        self._edited = True
        for at in range(self._tabs_from, len(row)):
            if row[at] == "\t":
                _cut(row, at + 1)
                row[at] = " "
        self._tabs_from = NO_TAB
        return row


def _cut(row: list[str], at: int) -> None:
    """Turn a character that lies on both sides of column `at` into spaces."""
    if not 0 < at < len(row) or row[at]:
        return
    start = at
    while start > 0 and not row[start]:
        start -= 1
    stop = at
    while stop < len(row) and not row[stop]:
        stop += 1
    row[start:stop] = " " * (stop - start)
