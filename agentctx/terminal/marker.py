"""The one line that stands where lines were hidden, and how to recognise it."""

from __future__ import annotations

import re
from collections.abc import Mapping

_LINE = re.compile(r"\[agentctx: [^\n]*\]")
_HANDLE = re.compile(r"\[agentctx: [^\n]* expand ([0-9a-f]{6,64})\]")


def lines_hidden(*, total: int, reasons: Mapping[str, int], first: int, last: int, way: str) -> str:
    """Return the marker for the hidden lines `first`-`last` of an output of `total` lines.

    `reasons` maps each reason to the number of lines that it hides; their sum is the true count.
    """
    count = sum(reasons.values())
    if len(reasons) == 1:
        why = next(iter(reasons))
    else:
        why = "; ".join(f"{n} {reason}" for reason, n in reasons.items())
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    return f"[agentctx: {count} of {total} lines hidden ({why}) · {where} · {way}]"


def characters_hidden(*, shown: int, total: int, line: int, way: str) -> str:
    """Return the marker that follows the first `shown` of `total` characters of one long line."""
    return f"[agentctx: {total - shown} of {total} characters of line {line} hidden · {way}]"


def is_marker(line: str) -> bool:
    """Tell whether a whole line is a marker of ours."""
    return line.startswith("[agentctx: ") and _LINE.fullmatch(line) is not None


def handles(text: str) -> tuple[str, ...]:
    """Return the handles that the markers in a text name, in order, each once."""
    if "[agentctx: " not in text:
        return ()
    return tuple(dict.fromkeys(_HANDLE.findall(text)))
