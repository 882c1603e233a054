"""The rows of a terminal's window, and what scrolls out of it."""

from __future__ import annotations

from agentctx.terminal.row import Row
from agentctx.terminal.scrollback import Scrollback


class Rows:
    """A window of `height` rows, those from `top` to `bottom` of which scroll.

    Rows are made when something is put in them: `kept` is at most `height` long, and a row that is
    not there is blank. Rows leave upwards into `scrollback`; an alternate screen has none.
    """

    def __init__(self, height: int, scrollback: Scrollback | None) -> None:
        """Make an empty window at raw line 1."""
        self.height = height
        self.top, self.bottom = 0, height - 1
        self.line = 1
        self.kept: list[Row] = []
        self._scrollback = scrollback
        self._firsts: dict[int, int] = {}  # where rows that were erased from the end began

    @property
    def whole(self) -> bool:
        """Whether all rows scroll."""
        return self.bottom - self.top == self.height - 1

    def scrolls(self, y: int) -> bool:
        """Whether row `y` is one of the scrolling ones."""
        return self.top <= y <= self.bottom

    def at(self, y: int) -> Row:
        """Return row `y`, made now if it was not there."""
        kept = self.kept
        if y < len(kept) and kept[y].last:
            return kept[y]
        while self._firsts and len(kept) <= y:
            kept.append(Row(self._firsts.pop(len(kept), self.line)))
        if len(kept) <= y:
            kept.extend([Row(self.line)] * (y + 1 - len(kept)))
        row = kept[y]
        if not row.last:  # untouched, so it may stand in several places
            row = kept[y] = Row(row.first)
        return row

    def picture(self, y: int) -> list[Row]:
        """Return the rows down to row `y` or the last one that shows something."""
        self.at(y)
        return self.kept[: max(y + 1, self._end())]

    def limit(self, top: int, bottom: int) -> bool:
        """Let only the rows from `top` to `bottom` (-1: the last) scroll; say whether that can be."""
        bottom = min(bottom, self.height - 1) if bottom >= 0 else self.height - 1
        if top < bottom:
            self.top, self.bottom = top, bottom
        return top < bottom

    def roll(self) -> None:
        """Move the scrolling rows up by one, as a line feed on the last one does."""
        self.at(self.top)
        self._scroll(1, gaps=True)

    def scroll(self, count: int) -> None:
        """Move the scrolling rows up; rows that were only jumped over leave no trace."""
        self._scroll(count, gaps=False)

    def delete(self, y: int, count: int) -> None:
        """Take rows out at `y`; the scrolling rows below move up."""
        region = self._region(y)
        if region:
            below = len(self.kept) > self.bottom + 1
            blanks = [Row(self.line)] * len(region[:count]) if below else []
            self.kept[y : self.bottom + 1] = region[count:] + blanks

    def insert(self, y: int, count: int) -> None:
        """Put blank rows in at `y`; the scrolling rows below move down and out."""
        region = self._region(y)
        if region:
            room = self.bottom + 1 - y
            blanks = [Row(self.line)] * min(count, room)
            self.kept[y : self.bottom + 1] = (blanks + region)[:room]

    def cut(self, y: int) -> None:
        """Erase the rows from `y` on."""
        for number in range(y, len(self.kept)):
            self._firsts[number] = self.kept[number].first
        del self.kept[y:]

    def blank(self, y: int) -> None:
        """Erase the rows before `y`."""
        for row in self.kept[:y]:
            if not row.blank:
                row.clear()

    def clear(self) -> bool:
        """Erase all rows, after keeping what they show; say whether it was kept."""
        self._keep(self.kept[: self._end()], gaps=False)
        self.kept.clear()
        self._firsts.clear()
        return self._scrollback is not None

    def pass_through(self, texts: list[str]) -> bool:
        """Take raw lines that push all others out of the window and are pushed out themselves."""
        if self._scrollback is None or not self.whole:
            return False
        self._keep(self.kept[:-1], gaps=True)
        self._scrollback.add_plain(texts, self.line)
        self.line += len(texts)
        self.kept = [Row(self.line, self.line)]
        return True

    def _end(self) -> int:
        end = len(self.kept)
        while end and self.kept[end - 1].blank:
            end -= 1
        return end

    def _scroll(self, count: int, *, gaps: bool) -> None:
        count = min(count, len(self.kept) - self.top, self.bottom + 1 - self.top)
        if count <= 0:
            return
        if self.top == 0:
            self._keep(self.kept[:count], gaps=gaps)
        if self.whole:
            self._firsts.clear()
            del self.kept[:count]
        else:
            self.delete(self.top, count)

    def _keep(self, rows: list[Row], *, gaps: bool) -> None:
        if self._scrollback is not None:
            self._scrollback.add(row for row in rows if gaps or row.last)

    def _region(self, y: int) -> list[Row]:
        """Return the scrolling rows from `y` on, about to be moved."""
        self._firsts.clear()
        if 0 < y <= len(self.kept):
            self.kept[y - 1].wrapped = False
        return self.kept[y : self.bottom + 1]
