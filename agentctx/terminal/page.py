"""One page of a terminal: its rows and a cursor that writes on them."""

from __future__ import annotations

from agentctx.terminal.row import Row
from agentctx.terminal.rows import Rows
from agentctx.terminal.scrollback import Scrollback
from agentctx.terminal.width import TAB, cells, mark, measure, narrow, width

WIDEST = 4096
"""Columns where a longer line goes on in a next row; on the way out the rows are one line again."""

_FAR = 500  # a column past this is how programs say "the edge"
_EDGE = 80


class Page:
    """The main screen, which has a scrollback, or the alternate one, which has none."""

    def __init__(
        self, height: int, columns: int | None, *, padding: int, scrollback: Scrollback | None
    ) -> None:
        """Make an empty page; `padding` limits the blank cells that cursor jumps may cost."""
        self.rows = Rows(height, scrollback)
        self.columns = max(2, columns or WIDEST)
        self.padding = padding
        self.y = self.x = 0
        self.inserting = False
        self._sized = columns is not None
        self._saved = (0, 0)
        self._homed = False
        self.row.last = 1

    @property
    def row(self) -> Row:
        """The cursor's row."""
        return self.rows.at(self.y)

    @property
    def column(self) -> int:
        """The cursor's column, also when the next character would wrap."""
        return min(self.x, self.columns - 1)

    def touch(self) -> Row:
        """Return the cursor's row, about to be changed by the current raw line."""
        row = self.row
        row.last = self.rows.line
        return row

    def put(self, text: str) -> None:
        """Write printable text and tabs at the cursor."""
        self._homed = False
        if self.x >= self.columns and text[0] != "\t" and width(text[0]):
            self._wrap()
        row = self.touch()
        fresh = not self.x and row.blank
        step = self.columns if fresh else WIDEST
        if len(text) > step:
            for at in range(0, len(text), step):
                self.put(text[at : at + step])
        elif fresh and (columns := measure(text)) <= self.columns:
            row.fill(text)
            self.x = columns
        else:
            self._overprint(text)

    def put_lines(self, texts: list[str]) -> None:
        """Write whole raw lines, each with its line feed; those that scroll off at once are quick."""
        passing = len(texts) - self.rows.height
        if passing > 0 and self._fresh() and self.rows.pass_through(texts[:passing]):
            texts = texts[passing:]
            self.y = 0
        for text in texts:
            if text:
                self.put(text)
            self.feed()

    def repeat(self, char: str, count: int) -> None:
        """Write `char` again."""
        count = min(count, self.columns)
        if char and self.afford(count):
            self.put(char * count)

    def tab(self) -> None:
        """Go to the next tab stop; past the end of the row the tab itself is kept."""
        stop = (self.column // TAB + 1) * TAB
        if stop >= self.columns and not self._sized:
            self._wrap()
            stop = TAB
        x, row, stop = self.column, self.touch(), min(stop, self.columns - 1)
        if row.width <= x < stop and self.afford(x - row.width):
            row.write(x, ["\t", *[""] * (stop - x - 1)])
        self.x = max(x, stop)

    def afford(self, blanks: int) -> bool:
        """Pay for cells that nothing was written in; say whether that could be paid."""
        if blanks > self.padding:
            return False
        self.padding -= blanks
        return True

    def move(self, rows: int) -> None:
        """Go up or down, not out of the scrolling rows or the window."""
        low = self.rows.top if self.y >= self.rows.top else 0
        high = self.rows.bottom if self.y <= self.rows.bottom else self.rows.height - 1
        self.y = max(low, min(high, self.y + rows))
        self.x = self.column

    def to_column(self, x: int) -> None:
        """Go to a column of this row."""
        last = self.columns - 1
        if not self._sized and x >= _FAR:
            last = min(last, max(_EDGE - 1, self.row.width))
        self.x = max(0, min(x, last))

    def to_row(self, y: int) -> None:
        """Go to a row of the window."""
        self.y = max(0, min(y, self.rows.height - 1))
        self.x = self.column

    def home(self, y: int, x: int) -> None:
        """Go to a place in the window."""
        self.to_row(y)
        self.to_column(x)
        self._homed = self.y == self.x == 0

    def save(self) -> None:
        """Remember where the cursor is."""
        self._saved = (self.y, self.x)

    def restore(self) -> None:
        """Go where the cursor was saved."""
        self.y, self.x = self._saved

    def feed(self) -> None:
        """End the raw line: a line feed is a new line, as the terminal driver makes it one."""
        self.rows.line += 1
        self.next()

    def next(self) -> None:
        """Go to the beginning of the next row."""
        self.x = 0
        self._homed = False
        self.index()
        row = self.row
        row.last = row.last or self.rows.line

    def index(self) -> None:
        """Go one row down, scrolling at the end of the scrolling rows."""
        if self.y == self.rows.bottom:
            self.rows.roll()
        else:
            self.to_row(self.y + 1)

    def reverse_index(self) -> None:
        """Go one row up, scrolling back at the beginning of the scrolling rows."""
        if self.y == self.rows.top:
            self.rows.insert(self.y, 1)
        else:
            self.to_row(self.y - 1)

    def limit(self, top: int, bottom: int) -> None:
        """Let only the rows from `top` to `bottom` scroll, and go home."""
        if self.rows.limit(top, bottom):
            self.home(0, 0)

    def erase_below(self) -> None:
        """Blank what follows the cursor; at a home just gone to, that is how `clear` clears."""
        if self._homed and self.y == self.x == 0:
            self.clear()
        elif self.y < len(self.rows.kept):
            self.touch().erase(self.x, self.columns)
            self.rows.cut(self.y + 1)

    def erase_above(self) -> None:
        """Blank what precedes the cursor, and the cell under it."""
        self.rows.blank(self.y)
        self.touch().erase(0, self.x + 1)

    def clear(self) -> None:
        """Empty the window.

        On the main screen what it showed is kept above, as many terminals do: a log that clears
        the screen half-way must not hide the failure before it. The window then begins anew.
        """
        if self.rows.clear():
            self.y = 0

    def reset(self) -> None:
        """Begin anew: an empty window, the cursor home, all rows scrolling."""
        self.clear()
        self.rows.limit(0, self.rows.height - 1)
        self.y = self.x = 0
        self._saved = (0, 0)
        self.inserting = False

    def _fresh(self) -> bool:
        """Whether the next raw line will stand alone, below all others."""
        return self.x == 0 and self.y == len(self.rows.kept) - 1 and self.row.blank

    def _overprint(self, text: str) -> None:
        for number, piece in enumerate(text.split("\t")):
            if number:
                self.tab()
            if piece:
                self._write(list(piece) if narrow(piece) else cells(self._marked(piece)))

    def _marked(self, text: str) -> str:
        """Put the marks that `text` begins with on the character before the cursor."""
        at, row = 0, self.touch()
        if not width(text[0]) and self.x > row.width and self.afford(self.x - row.width):
            row.write(self.x, [])
        while self.x and at < len(text) and not width(text[at]):
            if not mark(row.cells(), self.x, text[at]):
                break
            at += 1
        return text[at:]

    def _write(self, new: list[str]) -> None:
        """Put cells at the cursor, going on in the next row where this one is full."""
        if self.x + len(new) <= self.columns:
            self._overwrite(new)
            return
        at = 0
        while at < len(new):
            if self.x >= self.columns:
                self._wrap()
            stop = min(at + self.columns - self.x, len(new))
            if stop < len(new) and not new[stop]:
                stop -= 1  # a wide character does not straddle rows
            if stop > at:
                self._overwrite(new[at:stop])
            else:
                self.x = self.columns
            at = stop

    def _wrap(self) -> None:
        self.touch().wrapped = True
        self.index()
        self.x = 0

    def _overwrite(self, new: list[str]) -> None:
        row = self.touch()
        gap = self.x - len(row.cells())
        if gap > 0 and not self.afford(gap):
            self.x -= gap
        if self.inserting and self.afford(len(new)):
            row.insert(self.x, len(new), self.columns)
        row.write(self.x, new)
        self.x += len(new)
