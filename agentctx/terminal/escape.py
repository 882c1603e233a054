"""Control sequences (ECMA-48, xterm): which ones move or erase something, and how they are read."""

from __future__ import annotations

import re

# Everything below 0x20 but tab and line feed. C1 controls (U+0080-009F) are left as text: modern
# terminals ignore them in UTF-8, and in logs they are mis-decoded letters.
_CONTROLS = tuple(map(chr, (*range(9), *range(11, 32), 127)))

# What can change a picture: CSI with one of these finals, private modes and erases, save, restore,
# index, next line, reverse index, reset.
_DRAWS = (
    r"\[[0-9;]*[A-MPSTXZ@`abdefhlr]|\[[su]"
    r"|\[\?(?!(?:25|2004|2026|12|1|1000|1002|1003|1004|1006)[hl])[0-9;]*[hlJK]"
    r"|[78DEMc]"
)

# What cannot: all other sequences, unfinished and malformed ones, and controls that print nothing.
# A control string ends with its line at the latest, so that one that was cut hides nothing below.
_IDLE = re.compile(
    rf"\x1b(?!{_DRAWS})(?:"
    r"\[[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\][^\x07\x1b\n\x18\x1a]*\x07?"  # OSC
    r"|[PX^_][^\x1b\n\x18\x1a]*"  # DCS, SOS, PM, APC
    r"|[ -/]+[0-~]?"  # charset selection and the like
    r"|[0-~]?"
    r")|[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]"
)

TOKEN = re.compile(
    r"([^\x00-\x08\x0a-\x1f\x7f]+)"  # 1 text, tabs included
    r"|\n([^\x00-\x08\x0b-\x1f\x7f]*)\n"  # 2 whole lines, after the end of the one before
    r"|\x1b\[(\??)([0-9;]*)([@-~])"  # 3 private mark, 4 parameters, 5 final of a CSI
    r"|([\n\r\x08\x0b\x0c]|\x1b.)"  # 6 a control or a two-byte escape
)

_MOST = 9_999_999

_GRAPHICS = str.maketrans("`abcdefghijklmnopqrstuvwxyz{|}~", "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
_CHARSET = re.compile(r"\x1b([()])([ -/]*[0-~])|([\x0e\x0f])")
_LINE_DRAWING = re.compile(r"\x1b[()]0")


def plain(text: str) -> bool:
    """Whether no character of `text` controls a terminal (tabs and line feeds do not count)."""
    return not any(control in text for control in _CONTROLS)


def strip(text: str) -> str:
    """Return `text` without all that cannot change where its characters stand."""
    text = text.replace("\r\n", "\n")
    if _LINE_DRAWING.search(text):
        text = _draw(text)
    return _IDLE.sub("", text)


def numbers(parameters: str) -> list[int]:
    """Return the parameters of a control sequence; one left out is 0."""
    if parameters.isdigit() and len(parameters) < 7:
        return [int(parameters)]
    return [min(int(p[-8:] or 0), _MOST) if len(p) < 9 else _MOST for p in parameters.split(";")]


def _draw(text: str) -> str:
    """Replace what is written in the line-drawing character set by the lines it draws."""
    sets, active, done = {"(": "B", ")": "B"}, "(", []
    at = 0
    for found in _CHARSET.finditer(text):
        done.append(
            _drawn(text[at : found.start()]) if sets[active] == "0" else text[at : found.start()]
        )
        at = found.end()
        if found[3]:
            active = ")" if found[3] == "\x0e" else "("
        else:
            sets[found[1]] = found[2]
    done.append(_drawn(text[at:]) if sets[active] == "0" else text[at:])
    return "".join(done)


def _drawn(text: str) -> str:
    """Translate the characters of `text` outside its escape sequences."""
    return "".join(
        part if part.startswith("\x1b") else part.translate(_GRAPHICS)
        for part in _SEQUENCES.split(text)
    )


_SEQUENCES = re.compile(r"(\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b\n]*\x07?|[ -/]*[0-~]?))")
