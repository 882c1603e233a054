"""What of an output a person at a terminal would read, line by line; shares no code with agentctx."""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"\x1b\[(?P<n>[0-9;?]*)(?P<final>[@-~])"  # CSI
    r"|\x1b[\]PX^_].*?(?:\x07|\x1b\\)"  # OSC and other strings
    r"|\x1b[ -/]*[0-~]"
    r"|(?P<move>[\r\x08])|[\x00-\x07\x0b-\x1f\x7f]"
)
_MOVES = re.compile(r"\x1b\[[0-9;?]*[ABEFHfJLMSTsud]|\x1b[78MDE]")


def visible(text: str) -> list[str]:
    """Return each line as it stands after carriage returns, backspaces and erasures in it."""
    return [_settle(line) if _CONTROL.search(line) else line for line in text.split("\n")]


def moves(text: str) -> bool:
    """Tell whether the cursor leaves its line, so that `visible` is not the whole truth."""
    return _MOVES.search(text) is not None


def _settle(line: str) -> str:
    cells: list[str] = []
    column = at = 0
    for control in _CONTROL.finditer(line):
        column = _write(cells, column, line[at : control.start()])
        at = control.end()
        if control["move"]:
            column = 0 if control["move"] == "\r" else max(0, column - 1)
        elif control["final"] == "K":
            _erase(cells, column, control["n"] or "0")
    _write(cells, column, line[at:])
    return "".join(cells).rstrip(" ") if "\x1b" in line or "\r" in line else "".join(cells)


def _write(cells: list[str], column: int, text: str) -> int:
    cells.extend(" " * (column - len(cells)))
    cells[column : column + len(text)] = text
    return column + len(text)


def _erase(cells: list[str], column: int, mode: str) -> None:
    if mode in ("0", ""):
        del cells[column:]
    elif mode == "1":
        cells[: column + 1] = " " * min(column + 1, len(cells))
    else:
        cells[:] = " " * len(cells)
