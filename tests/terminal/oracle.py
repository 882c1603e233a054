"""pyte as a judge of `screen`: the same picture, drawn by another terminal emulator.

pyte 0.8.2 is right except where a method here overrides it. Either it lacks the feature (the
alternate screen), or it differs from xterm:

- DECSC/DECRC are a stack there; in xterm one place, which survives being restored.
- CUU and CUD from outside the scrolling region jump into it.
- CUU, CUD and VPA keep a pending wrap.
- DL leaves a row's old content in place where the row that moves up was never drawn.
- A line feed in a region that does not begin at the top feeds the scrollback all the same.
- `CSI r` alone does not go home.
- A wide character overwritten by half leaves its other half.

Or agentctx chose otherwise (see `screen`): ED 2 pushes the window into the scrollback and begins it
anew, ED 0 right after CUP 1;1 as well, ED 3 does nothing.

Left out of the generated streams, since pyte has no such sequence or cannot be mended in a few
lines: SU, SD, REP, CHT, CBT, HPA by "`", CSI s and u, NEL, line-drawing characters, marks without a
base, joiners, C1 controls, and, where lines wrap, wide characters, insertions and saved cursors.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator

import pyte
from pyte.screens import Char, StaticDefaultDict
from wcwidth import wcwidth

ALTERNATE = {47, 1047, 1049}


class Line(StaticDefaultDict):
    """A row of pyte that knows whether it goes on in the next one."""

    wrapped = False


class Judge(pyte.HistoryScreen):
    """A screen with an unlimited scrollback and an alternate screen, as xterm has them."""

    def __init__(self, columns: int, lines: int) -> None:
        self.main = None
        self.homed = False
        self.halves = False
        self.place = (0, 0)
        super().__init__(columns, lines, history=1_000_000)

    # the alternate screen

    def set_mode(self, *modes, private=False):
        if private and ALTERNATE & set(modes):
            if self.main is None:
                self.main = (self.buffer, self.cursor.y, self.cursor.x, self.margins, self.place)
                self.buffer, self.margins = self._empty(), None
            return
        super().set_mode(*modes, private=private)

    def reset_mode(self, *modes, private=False):
        if private and ALTERNATE & set(modes):
            if self.main is not None:
                self.buffer, self.cursor.y, self.cursor.x, self.margins, self.place = self.main
                self.main = None
            return
        super().reset_mode(*modes, private=private)

    def _empty(self):
        return defaultdict(lambda: Line(self.default_char))

    # what agentctx chose

    def erase_in_display(self, how=0, *_args, **_kwargs):
        if how == 3:
            return
        if how == 2 or (how == 0 and self.homed and self.cursor.y == self.cursor.x == 0):
            self._clear()
        elif how == 0:
            self._erased(self.cursor.x)
            super().erase_in_display(0)
            for y in range(self.cursor.y + 1, self.lines):
                self.buffer[y].wrapped = False
        else:
            super().erase_in_display(1)
            for y in range(self.cursor.y):
                self.buffer[y].wrapped = False
        self._mend()

    def _clear(self):
        if self.main is None:
            self.history.top.extend(self.buffer[y] for y in range(self._used()))
            self.cursor.y = 0
        self.buffer = self._empty()

    def _used(self):
        return max((y + 1 for y in range(self.lines) if text(self.buffer[y])), default=0)

    def cursor_position(self, line=None, column=None):
        super().cursor_position(line, column)
        self.homed = self.cursor.y == self.cursor.x == 0

    def linefeed(self):
        self.homed = False
        super().linefeed()

    # what pyte does otherwise than xterm

    def reset(self):
        super().reset()
        self.buffer = self._empty()
        self.homed = False

    def draw(self, data):
        self.homed = False
        if data.isascii() and self.cursor.x + len(data) <= self.columns:
            super().draw(data)
            self._mend()
            return
        self.halves = self.halves or any(wcwidth(char) == 2 for char in data)
        for char in data:
            if self.cursor.x == self.columns and wcwidth(char) > 0:
                self.buffer[self.cursor.y].wrapped = True
            super().draw(char)
            self._mend()

    def index(self):
        region = self.margins or (0, self.lines - 1)
        keeps = self.main is None and region[0] == 0 and self.cursor.y == region[1]
        before = len(self.history.top)
        for y in range(self.lines):
            self.buffer[y]
        super().index()
        if not keeps and len(self.history.top) > before:
            self.history.top.pop()

    def save_cursor(self):
        self.place = (self.cursor.y, self.cursor.x)

    def restore_cursor(self):
        self.cursor.y, self.cursor.x = self.place

    def cursor_up(self, count=None):
        top = (self.margins or (0, 0))[0]
        floor = top if self.cursor.y >= top else 0
        self.cursor.y = max(floor, self.cursor.y - (count or 1))
        self.ensure_hbounds()

    def cursor_down(self, count=None):
        bottom = (self.margins or (0, self.lines - 1))[1]
        ceiling = bottom if self.cursor.y <= bottom else self.lines - 1
        self.cursor.y = min(ceiling, self.cursor.y + (count or 1))
        self.ensure_hbounds()

    def cursor_to_line(self, line=None):
        super().cursor_to_line(line)
        self.ensure_hbounds()

    def set_margins(self, top=None, bottom=None):
        super().set_margins(top, bottom)
        if not top and bottom is None:
            self.cursor_position()

    def select_graphic_rendition(self, *attrs, private=False):
        """Colours are of no interest, and one with a private mark is an error in pyte."""

    def _moving(self):
        for y in range(self.lines):
            self.buffer[y]
        if self.cursor.y:
            self.buffer[self.cursor.y - 1].wrapped = False

    def insert_lines(self, count=None):
        self._moving()
        super().insert_lines(count)

    def delete_lines(self, count=None):
        self._moving()
        super().delete_lines(count)

    def erase_in_line(self, how=0, private=False):
        if how != 1:
            self._erased(self.cursor.x if how == 0 else 0)
        super().erase_in_line(how, private)
        self._mend()

    def insert_characters(self, count=None):
        super().insert_characters(count)
        self._mend()

    def delete_characters(self, count=None):
        super().delete_characters(count)
        self._mend()

    def erase_characters(self, count=None):
        super().erase_characters(count)
        self._mend()

    def _erased(self, start):
        self.buffer[self.cursor.y].wrapped = False

    def _mend(self):
        """Turn halves of wide characters in the cursor's row into spaces."""
        row = self.buffer[self.cursor.y]
        for x in sorted(row) if self.halves else ():
            data = row[x].data
            wide = data != "" and wcwidth(data[0]) == 2
            stub = x > 0 and row[x - 1].data != "" and wcwidth(row[x - 1].data[0]) == 2
            if (wide and row[x + 1].data != "") or (data == "" and not stub):
                row[x] = Char(" ")

    # the verdict

    def rows(self):
        """Return the texts of all rows, scrollback first, without blanks at the end of each."""
        rows = [*self.history.top]
        if self.main is not None:
            buffer = self.main[0]
            shown = [buffer[y] for y in range(self.lines)]
            while shown and not text(shown[-1]):
                shown.pop()
            rows += shown
        return rows + [self.buffer[y] for y in range(self.lines)]

    def lines_shown(self):
        """Return the rows, those that wrapped joined again, without blank ones at the end."""
        shown = [""]
        for row in self.rows():
            shown[-1] += text(row)
            if not row.wrapped:
                shown[-1] = shown[-1].rstrip(" ")
                shown.append("")
        while shown and not shown[-1]:
            shown.pop()
        return shown


def text(row) -> str:
    columns = max(row, default=-1) + 1
    shown = "".join(row[x].data for x in range(columns))
    return shown if row.wrapped else shown.rstrip(" ")


def judge(stream: str, columns: int, rows: int) -> list[str]:
    """Return what pyte shows of `stream` behind a terminal driver that maps LF to CR LF."""
    return next(judgements([stream], columns, rows))


def judgements(parts: Iterable[str], columns: int, rows: int) -> Iterator[list[str]]:
    """Yield what pyte shows after each part of a stream."""
    screen = Judge(columns, rows)
    stream = pyte.Stream(screen)
    for part in parts:
        stream.feed(part.replace("\n", "\r\n"))
        yield screen.lines_shown()


def flat(texts: list[str]) -> list[str]:
    """Return lines as the judge writes them: tabs as spaces, composed, no blanks at the end."""
    shown = [unicodedata.normalize("NFC", expand(line)).rstrip(" ") for line in texts]
    while shown and not shown[-1]:
        shown.pop()
    return shown


def expand(line: str) -> str:
    column, parts = 0, []
    for char in line:
        part = " " * (8 - column % 8) if char == "\t" else char
        column += len(part) if char == "\t" else wcwidth(char)
        parts.append(part)
    return "".join(parts)
