"""Which step hid how many tokens, read from the markers."""

from __future__ import annotations

import re

from agentctx.evals.audit import hidden, is_cut, is_marker
from agentctx.evals.meter import Tally

_HIDDEN = re.compile(r"\[agentctx: (?P<count>\d+) of \d+ lines hidden \((?P<why>.*)\) · lines? \d")
_REASON = re.compile(r"(?:^|[,;] )(?:(\d+) )?(repeat|same as|shown|middle|progress)\b")
_STEPS = {
    "repeat": "repeats",
    "same as": "repeats",
    "shown": "echo",
    "middle": "budget",
    "progress": "frames",
}


def hidden_tokens(raw: str, out: str, tally: Tally) -> dict[str, int]:
    """Return the tokens that each step saved on one observation, its markers deducted.

    What vanished without a marker is the screen's (overwritten frames, colours) if every line
    that a terminal would show is still there. Several steps share the saving by their lines.
    """
    if raw == out:
        return {}
    saved = tally.count(raw) - tally.count(out)
    lines = stated(out)
    if not lines:
        return {"cut" if hidden(raw, out) else "screen": saved}
    total = sum(lines.values())
    return {step: round(saved * count / total) for step, count in lines.items()}


def stated(out: str) -> dict[str, int]:
    """Return the number of lines that each step hid, as the markers state it."""
    found: dict[str, int] = {}
    for line in out.split("\n"):
        if not is_marker(line):
            continue
        for count, step in _reasons(line):
            found[step] = found.get(step, 0) + count
    return found


def _reasons(marker: str) -> list[tuple[int, str]]:
    if is_cut(marker):
        return [(1, "budget")]
    found = _HIDDEN.match(marker)
    if not found:
        return []
    reasons = _REASON.findall(found["why"])
    if not reasons:
        return [(int(found["count"]), "other")]
    return [(int(number or found["count"]), _STEPS[reason]) for number, reason in reasons]
