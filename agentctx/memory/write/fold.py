"""The Previous Progress Summary: a bounded fold of the record before.

Source: Git-Context-Controller, §2.2 (COMMIT): a coarse summary of the last summary and contribution.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from agentctx.memory.records import Commit, Step

LIMIT = 1_000
"""Characters that a fold may take."""

_LINE = 160
_HELD = "(held back: see agentctx memory trust)"
_EARLIER = re.compile(r"- \((\d+) earlier: see history\)")


class Summariser(Protocol):
    """Writes a Previous Progress Summary; whatever it raises, the fold takes its place."""

    def __call__(self, previous: Commit, steps: Sequence[Step]) -> str:
        """Return the progress up to and with `previous`; `steps` are those since."""


def fold(previous: Commit | None) -> str:
    """Return the progress up to and with a record: one line a record, the newest ones and the first.

    It is "" where there is no record before.
    """
    if previous is None:
        return ""
    lines = [*previous.previous.split("\n"), _line(previous)]
    return _bounded([line for line in lines if line])


def bounded(text: str) -> str:
    """Return a summary that someone else wrote, cut at the end of a line or word."""
    text = text.strip()
    if len(text) <= 2 * LIMIT:
        return text
    cut = text[: 2 * LIMIT - 2]
    return f"{cut[: max(cut.rfind(chr(10)), cut.rfind(' '), LIMIT)].rstrip()} …"


def _line(record: Commit) -> str:
    text = _HELD if record.quarantined else " ".join(record.contribution.split())
    return f"- {text if len(text) <= _LINE else f'{text[: _LINE - 1]}…'}"


def _bounded(lines: list[str]) -> str:
    """Keep the first line and the newest ones; count what stood between."""
    if sum(len(line) + 1 for line in lines) <= LIMIT:
        return "\n".join(lines)
    hidden, kept = 0, []
    for line in lines:
        if found := _EARLIER.fullmatch(line):
            hidden += int(found[1])
        else:
            kept.append(line)
    first, rest = kept[0][:_LINE], kept[1:]
    room = LIMIT - len(first) - len("- (999999 earlier: see history)\n\n")
    while rest and sum(len(line) + 1 for line in rest) > room:
        rest.pop(0)
        hidden += 1
    return "\n".join([first, f"- ({hidden} earlier: see history)", *rest])
