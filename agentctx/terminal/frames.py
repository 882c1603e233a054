"""Progress bars whose carriage returns were lost: all frames glued together on one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentctx.terminal.hidden import Hidden
from agentctx.terminal.lines import Line

MIN_CHARACTERS = 300
MIN_FRAMES = 8

_PERCENT = re.compile(r"\d+(?:\.\d+)?%")
_LABEL = re.compile(r"[A-Za-z][A-Za-z ]{5,30}[A-Za-z:]")


def frames(lines: Sequence[Line], free: Sequence[bool]) -> list[Hidden]:
    """Return the lines that hold nothing but the redrawn frames of one progress bar."""
    return [
        Hidden(i, i + 1, "progress")
        for i, line in enumerate(lines)
        if free[i] and len(line.text) >= MIN_CHARACTERS and _glued(line.text)
    ]


def _glued(text: str) -> bool:
    """Tell whether one label with a percentage makes up the line, over and over."""
    label = _LABEL.match(text.lstrip())
    if label is None or len(_PERCENT.findall(text)) < MIN_FRAMES:
        return False
    parts = text.split(label[0])[1:]
    shapes = {re.sub(r"[\d.\s]+", "0", part).split("%", 1)[0] for part in parts}
    return len(parts) >= MIN_FRAMES and len(shapes) == 1 and max(map(len, parts)) < 120
