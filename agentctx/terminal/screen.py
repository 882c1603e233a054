"""What a terminal would finally show of a text, scrollback included."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from agentctx.terminal.escape import TOKEN, numbers, plain, strip
from agentctx.terminal.lines import Line, split
from agentctx.terminal.page import Page
from agentctx.terminal.scrollback import Scrollback

_Op: TypeAlias = Callable[[Page, int], None]


def screen(text: str, columns: int | None = None, rows: int | None = None) -> tuple[Line, ...]:
    r"""Return the lines that a terminal would show at the end of `text`, scrolled-off ones first.

    A text without control characters comes back as its own lines. Otherwise carriage returns,
    erases and cursor moves are carried out as xterm does (ECMA-48), on a window of `rows` rows
    over an unlimited scrollback; colours, titles and the like are dropped. Three choices lose no
    evidence where terminals differ: clearing the screen pushes what it showed into the scrollback
    (frames redrawn with cursor moves still replace each other), clearing the scrollback does
    nothing, and a line feed begins a new line with or without "\r". What was drawn on the
    alternate screen is shown only if the text ends there.

    Args:
        text: The output as it was captured, of a pipe or of a terminal.
        columns: The width of the terminal, if known; a line that wraps there is still one line.
        rows: The height of the terminal; guessed from the rows that `text` addresses if not known.
    """
    if plain(text):
        return split(text)
    text = strip(text)
    if plain(text):
        return split(text)
    terminal = _Terminal(rows or _height(text), columns, padding=4 * len(text) + 100_000)
    terminal.feed(text)
    return terminal.lines()


class _Terminal:
    """The main page, and the alternate one while it is on."""

    def __init__(self, rows: int, columns: int | None, *, padding: int) -> None:
        self._scrollback = Scrollback()
        self._main = self._page = Page(rows, columns, padding=padding, scrollback=self._scrollback)
        self._columns = columns
        self._printed = ""

    def feed(self, text: str) -> None:
        """Carry `text` out."""
        for token in TOKEN.finditer(text):
            if token.lastindex == 1:
                self._printed = token[1]
                self._page.put(token[1])
            elif token.lastindex == 2:
                self._page.feed()
                self._page.put_lines(token[2].split("\n"))
            elif token.lastindex == 5:
                self._sequence(token[3], token[4], token[5])
            else:
                self._control(token[6])

    def lines(self) -> tuple[Line, ...]:
        """Return what is shown; an alternate page that was not left stands below the main one."""
        main, page = self._main, self._page
        if page is main:
            self._scrollback.add(main.rows.picture(main.y))
        else:
            main.rows.clear()
            self._scrollback.add(page.rows.picture(page.y))
        return self._scrollback.lines()

    def _control(self, control: str) -> None:
        if control == "\x1bc":
            self._leave()
            self._page.reset()
        else:
            _CONTROLS[control](self._page)

    def _sequence(self, private: str, parameters: str, final: str) -> None:
        page, values = self._page, numbers(parameters)
        if final in _ERASES:
            _ERASES[final](page, values[0])
        elif final in _OPS:
            _OPS[final](page, max(1, values[0]))
        elif final in "hl":
            self._modes(private, values, on=final == "h")
        elif final in "Hf":
            page.home(max(1, values[0]) - 1, max(1, *values[1:2], 1) - 1)
        elif final == "r":
            page.limit(max(1, values[0]) - 1, (values[1:2] or [0])[0] - 1)
        elif final == "b":
            page.repeat(self._printed[-1:], max(1, values[0]))

    def _modes(self, private: str, modes: list[int], *, on: bool) -> None:
        for mode in modes:
            if private and mode in (47, 1047, 1049):
                self._enter() if on else self._leave()
            elif private and mode == 1048:
                self._page.save() if on else self._page.restore()
            elif not private and mode == 4:
                self._page.inserting = on

    def _enter(self) -> None:
        if self._page is self._main:
            main = self._main
            height = main.rows.height
            self._page = Page(height, self._columns, padding=main.padding, scrollback=None)
            self._page.y, self._page.x = main.y, main.x
            self._page.rows.line = main.rows.line

    def _leave(self) -> None:
        self._main.padding, self._main.rows.line = self._page.padding, self._page.rows.line
        self._page = self._main


def _erase_display(page: Page, mode: int) -> None:
    if mode == 0:
        page.erase_below()
    elif mode == 1:
        page.erase_above()
    elif mode == 2:
        page.clear()


def _erase_line(page: Page, mode: int) -> None:
    x, row = page.x, page.touch()
    if mode == 0:
        row.erase(x, page.columns)
    elif mode == 1:
        row.erase(0, x + 1)
    elif mode == 2:
        row.clear()


def _insert_cells(page: Page, count: int) -> None:
    count = min(count, page.columns - page.x)
    if page.afford(count):
        page.touch().insert(page.x, count, page.columns)


def _insert_rows(page: Page, count: int) -> None:
    if page.rows.scrolls(page.y):
        page.rows.insert(page.y, count)
        page.x = 0


def _delete_rows(page: Page, count: int) -> None:
    if page.rows.scrolls(page.y):
        page.rows.delete(page.y, count)
        page.x = 0


def _next_rows(page: Page, count: int) -> None:
    page.move(count)
    page.x = 0


def _tabs(page: Page, count: int) -> None:
    page.to_column((page.column // 8 + count) * 8)


def _back_tabs(page: Page, count: int) -> None:
    page.to_column((page.column + 7) // 8 * 8 - 8 * count)


_ERASES: dict[str, _Op] = {"J": _erase_display, "K": _erase_line}

_OPS: dict[str, _Op] = {
    "A": lambda page, n: page.move(-n),
    "B": lambda page, n: page.move(n),
    "e": lambda page, n: page.move(n),
    "C": lambda page, n: page.to_column(page.column + n),
    "a": lambda page, n: page.to_column(page.column + n),
    "D": lambda page, n: page.to_column(page.column - n),
    "E": _next_rows,
    "F": lambda page, n: _next_rows(page, -n),
    "G": lambda page, n: page.to_column(n - 1),
    "`": lambda page, n: page.to_column(n - 1),
    "d": lambda page, n: page.to_row(n - 1),
    "L": _insert_rows,
    "M": _delete_rows,
    "P": lambda page, n: page.touch().delete(page.x, n),
    "@": _insert_cells,
    "X": lambda page, n: page.touch().erase(page.x, page.x + n),
    "S": lambda page, n: page.rows.scroll(n),
    "T": lambda page, n: page.rows.insert(page.rows.top, n),
    "I": _tabs,
    "Z": _back_tabs,
    "s": lambda page, _: page.save(),
    "u": lambda page, _: page.restore(),
}

_CONTROLS: dict[str, Callable[[Page], None]] = {
    "\n": Page.feed,
    "\v": Page.index,
    "\f": Page.index,
    "\r": lambda page: page.to_column(0),
    "\b": lambda page: page.to_column(page.column - 1),
    "\x1b7": Page.save,
    "\x1b8": Page.restore,
    "\x1bD": Page.index,
    "\x1bE": Page.next,
    "\x1bM": Page.reverse_index,
}


_ADDRESSED = re.compile(r"\x1b\[(?:(\d*)(?:;\d*)?[Hfd]|\d*;(\d+)r|(\d+)[AF])")
_CLEARED = re.compile(r"\x1b\[2J|\x1bc|\x1b\[[1;]*[Hf]\x1b\[0?J")
_TALLEST = 500


def _height(text: str) -> int:
    """Guess the rows of the terminal that `text` was written for.

    A program that addresses rows uses its last one sooner or later. If it did not, 24 is the
    guess that overwrites least, unless it clears first. One that only moves up from where it is
    needs a window at least that high.
    """
    rows, up, absolute = 0, 0, False
    for found in _ADDRESSED.finditer(text):
        value = min(numbers(found[1] or found[2] or found[3] or "0")[0], _TALLEST + 1)
        if value > _TALLEST:
            continue
        if found[3]:
            up = max(up, value)
        else:
            rows, absolute = max(rows, value), True
    if rows < 20:
        rows = 24 if absolute and not _CLEARED.search(text) else 100
    return max(rows, up + 1)
