"""A run of screened lines that the model will not see, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentctx.terminal.lines import Line

WORTH_A_MARKER = 120
"""Characters; a shorter run costs about as much as the marker that takes its place."""

BLANKS = 120
"""So many blank lines on end finish a run: they would be read over again for every line of it."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """The lines with index `start` to `stop` (exclusive) of a screened output.

    `source` is the earlier observation that shows them, as "content id@results back" ("": none);
    `target` is the index of the line of this same output that shows the first of them (-1: none).
    `rule` is the id of the rule that hides them ("": a step of our own).
    """

    start: int
    stop: int
    reason: str
    source: str = ""
    target: int = -1
    rule: str = ""

    def __len__(self) -> int:
        return self.stop - self.start


def size(lines: Sequence[Line], start: int, stop: int) -> int:
    """Return the characters of the lines from `start` to before `stop`, their ends included."""
    return sum(len(line.text) for line in lines[start:stop]) + stop - start


def visible(lines: Sequence[Line], hidden: Sequence[Hidden]) -> list[bool]:
    """Return, for each line, whether it is still shown."""
    shown = [True] * len(lines)
    for run in hidden:
        shown[run.start : run.stop] = [False] * len(run)
    return shown


def around(start: int, stop: int, keep: Sequence[bool]) -> list[tuple[int, int]]:
    """Split `start`-`stop` at the lines that must stay, leaving these out."""
    runs: list[tuple[int, int]] = []
    begin = start
    for i in range(start, stop + 1):
        if i == stop or keep[i]:
            if i > begin:
                runs.append((begin, i))
            begin = i + 1
    return runs
