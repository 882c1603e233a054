"""One page of a terminal: a window of rows with a cursor, above it what has scrolled away."""

from __future__ import annotations

from agentctx.terminal.row import Row
from agentctx.terminal.width import TAB, cells, mark, measure, width

WIDEST = 4096
"""Columns where a longer line goes on in a next row; on the way out the rows are one line again."""

_FAR = 500  # a column or row past this is how programs say "the edge"
_EDGE = 80


class Page:
    """The main screen (`keeps` what scrolls off it) or the alternate one.

    Rows that nothing was put in are made when they are needed, so `rows` is at most `height` long
    and a row that is not there is blank.
    """

    def __init__(
        self, height: int, columns: int | None, *, padding: int, keeps: bool = True
    ) -> None:
        """Make an empty page; `padding` limits the blank cells that cursor jumps may cost."""
        self.height = height
        self.columns = max(2, columns or WIDEST)
        self.sized = columns is not None
        self.padding = padding
        self.keeps = keeps
        self.gone: list[Row] = []
        self.rows: list[Row] = []
        self.line = 1
        self.y = self.x = 0
        self.top, self.bottom = 0, height - 1
        self.saved = (0, 0)
        self.homed = False
        self.inserting = False
        self._firsts: dict[int, int] = {}
        self.row(0).last = 1

    # rows

    def row(self, y: int) -> Row:
        """Return row `y` of the window, made now if it was not there."""
        while len(self.rows) <= y:
            self.rows.append(Row(self._firsts.pop(len(self.rows), self.line)))
        return self.rows[y]

    def touch(self) -> Row:
        """Return the cursor's row, about to be changed by the current raw line."""
        row = self.row(self.y)
        row.last = self.line
        return row

    def picture(self) -> list[Row]:
        """Return the rows of the window down to the cursor or the last one that shows something."""
        self.row(self.y)
        end = len(self.rows)
        while end - 1 > self.y and self.rows[end - 1].blank:
            end -= 1
        return self.rows[:end]

    # text

    def put(self, text: str) -> None:
        """Write printable text and tabs at the cursor."""
        self.homed = False
        row = self.touch()
        if not self.x and row.blank:
            columns = measure(text)
            if columns <= self.columns:
                row.fill(text)
                self.x = columns
                return
        for number, piece in enumerate(text.split("\t")):
            if number:
                self.tab()
            if piece:
                self._put(cells(self._marked(piece)))

    def _marked(self, text: str) -> str:
        """Put the marks that `text` begins with on the character before the cursor."""
        at = 0
        while self.x and at < len(text) and not width(text[at]):
            if not mark(self.touch().cells(), self.x, text[at]):
                break
            at += 1
        return text[at:]

    def _put(self, new: list[str]) -> None:
        at = 0
        while at < len(new):
            if self.x >= self.columns:
                self._wrap()
            stop = min(at + self.columns - self.x, len(new))
            if stop < len(new) and not new[stop]:
                stop -= 1
            if stop > at:
                self._write(new[at:stop])
                at = stop
            else:
                self.x = self.columns

    def _write(self, new: list[str]) -> None:
        row = self.touch()
        if self.x > row.width and not self.afford(self.x - row.width):
            self.x = row.width
        if self.inserting and self.afford(len(new)):
            row.insert(self.x, len(new), self.columns)
        row.write(self.x, new)
        self.x += len(new)

    def _wrap(self) -> None:
        self.touch().wrapped = True
        self.index()
        self.x = 0

    def afford(self, blanks: int) -> bool:
        """Pay for cells that nothing was written in; say whether that could be paid."""
        if blanks > self.padding:
            return False
        self.padding -= blanks
        return True

    def tab(self) -> None:
        """Go to the next tab stop; past the end of the row the tab itself is kept."""
        x, row = self.column, self.touch()
        stop = min((x // TAB + 1) * TAB, self.columns - 1)
        if row.width <= x < stop and self.afford(x - row.width):
            row.write(x, ["\t", *[""] * (stop - x - 1)])
        self.x = max(x, stop)

    def repeat(self, char: str, count: int) -> None:
        """Write `char` again."""
        count = min(count, self.columns)
        if char and self.afford(count):
            self.put(char * count)

    # cursor

    @property
    def column(self) -> int:
        """The cursor's column, also when the next character would wrap."""
        return min(self.x, self.columns - 1)

    def move(self, rows: int) -> None:
        """Go up or down, not out of the scrolling region or the window."""
        low = self.top if self.y >= self.top else 0
        high = self.bottom if self.y <= self.bottom else self.height - 1
        self.y = max(low, min(high, self.y + rows))
        self.x = self.column

    def to_column(self, x: int) -> None:
        """Go to a column of this row."""
        last = self.columns - 1
        if not self.sized and x >= _FAR:
            last = min(last, max(_EDGE - 1, self.row(self.y).width))
        self.x = max(0, min(x, last))

    def to_row(self, y: int) -> None:
        """Go to a row of the window."""
        self.y = max(0, min(y, self.height - 1))

    def home(self, y: int, x: int) -> None:
        """Go to a place in the window."""
        self.to_row(y)
        self.to_column(x)
        self.homed = self.y == self.x == 0

    def save(self) -> None:
        """Remember where the cursor is."""
        self.saved = (self.y, self.x)

    def restore(self) -> None:
        """Go where the cursor was saved."""
        self.y, self.x = self.saved

    def feed(self) -> None:
        """End the raw line: a line feed is a new line, as the terminal driver makes it one."""
        self.line += 1
        self.next()

    def next(self) -> None:
        """Go to the beginning of the next row."""
        self.x = 0
        self.homed = False
        self.index()
        row = self.row(self.y)
        row.last = row.last or self.line

    def index(self) -> None:
        """Go one row down, scrolling at the end of the region."""
        if self.y == self.bottom:
            self._scroll(1, gaps=True)
        elif self.y < self.height - 1:
            self.y += 1

    def reverse_index(self) -> None:
        """Go one row up, scrolling back at the beginning of the region."""
        if self.y == self.top:
            self.insert_rows(self.top, 1)
        elif self.y:
            self.y -= 1

    # whole rows

    def scroll(self, count: int) -> None:
        """Move the region's rows up; what leaves the window at its top is kept."""
        self._scroll(count, gaps=False)

    def _scroll(self, count: int, *, gaps: bool) -> None:
        count = min(count, len(self.rows) - self.top, self.bottom + 1 - self.top)
        if count > 0:
            if self.top == 0:
                self._keep(self.rows[:count], gaps=gaps)
            self.delete_rows(self.top, count)

    def _keep(self, rows: list[Row], *, gaps: bool) -> None:
        """Move `rows` above the window; a row that was only jumped over is kept as a gap or not."""
        if self.keeps:
            kept = [row for row in rows if gaps or row.last]
            for row in kept:
                row.settle()
            self.gone += kept

    def delete_rows(self, y: int, count: int) -> None:
        """Take rows out at `y`; those below in the region move up."""
        region = self._region(y)
        if region:
            below = len(self.rows) > self.bottom + 1
            blanks = [Row(self.line) for _ in region[:count]] if below else []
            self.rows[y : self.bottom + 1] = region[count:] + blanks

    def insert_rows(self, y: int, count: int) -> None:
        """Put blank rows in at `y`; those below in the region move down and out of it."""
        region = self._region(y)
        if region:
            room = self.bottom + 1 - y
            blanks = [Row(self.line) for _ in range(min(count, room))]
            self.rows[y : self.bottom + 1] = (blanks + region)[:room]

    def _region(self, y: int) -> list[Row]:
        """Return the region's rows from `y` on, about to be moved; none when `y` is outside."""
        if not self.top <= y <= self.bottom:
            return []
        self._firsts.clear()
        if 0 < y <= len(self.rows):
            self.rows[y - 1].wrapped = False
        return self.rows[y : self.bottom + 1]

    def margins(self, top: int, bottom: int) -> None:
        """Scroll only the rows from `top` to `bottom`, and go home."""
        bottom = min(bottom, self.height - 1)
        if top < bottom:
            self.top, self.bottom = top, bottom
            self.y = self.x = 0

    def erase_below(self) -> None:
        """Blank what follows the cursor; at a home just gone to, that is how `clear` clears."""
        if self.homed:
            self.clear()
            return
        if self.y < len(self.rows):
            self.touch().erase(self.column, self.columns)
            for y in range(self.y + 1, len(self.rows)):
                self._firsts[y] = self.rows[y].first
            del self.rows[self.y + 1 :]

    def erase_above(self) -> None:
        """Blank what precedes the cursor, and the cell under it."""
        for y in range(min(self.y, len(self.rows))):
            if not self.rows[y].blank:
                self.rows[y].clear()
        self.touch().erase(0, self.column + 1)

    def clear(self) -> None:
        """Empty the window.

        On the main screen what it showed is kept above, as many terminals do: a log that clears
        the screen half-way must not hide the failure before it. The window then begins anew.
        """
        end = len(self.rows)
        while end and self.rows[end - 1].blank:
            end -= 1
        self._keep(self.rows[:end], gaps=False)
        self.rows.clear()
        self._firsts.clear()
        if self.keeps:
            self.y = 0

    def reset(self) -> None:
        """Begin anew: an empty window, the cursor home, no margins."""
        self.clear()
        self.top, self.bottom = 0, self.height - 1
        self.y = self.x = 0
        self.saved = (0, 0)
        self.inserting = False
