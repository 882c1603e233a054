from __future__ import annotations

from typing import Any

import pytest

from agentctx.terminal.again import again
from agentctx.terminal.echo import echo
from agentctx.terminal.lines import Line, split
from agentctx.terminal.window import Shown, Window, key

SHORT = "".join(f"{chr(33 + i)}\n" for i in range(59))


class Counted(list[Any]):
    """A list that counts how often it is looked at."""

    reads = 0

    def __getitem__(self, at: Any) -> Any:
        self.reads += len(range(*at.indices(len(self)))) if isinstance(at, slice) else 1
        return super().__getitem__(at)


def blocks(count: int, blanks: int) -> str:
    """Return short lines that repeat, each time before many blank ones and a line of its own."""
    return "".join(SHORT + "\n" * blanks + f"unique {i}\n" for i in range(count))


@pytest.mark.parametrize(
    "text",
    [
        blocks(20, 1000),
        "".join(f"l{i % 13}\n" for i in range(5_000)),
        "".join(f"{'abcdefgh'[i * i % 61 % 8]}\n{i}\n" for i in range(5_000)),
        "".join(f"{i % 7} same\n{i // 3} other\n" for i in range(5_000)),
    ],
)
def test_a_line_is_read_a_bounded_number_of_times(text: str) -> None:
    lines = Counted(split(text))
    again(lines, [True] * len(lines))
    assert lines.reads < 200 * len(lines)


def test_a_shown_line_is_read_a_bounded_number_of_times_for_an_echo() -> None:
    text = blocks(20, 1000)
    keys = Counted(key(line.text) for line in split(text))
    window = Window()
    window.add(Shown("id", "cat a", keys, range(1, len(keys) + 1)))  # type: ignore[arg-type]
    lines = split("\n".join(sorted(text.split("\n"))) + text.replace("unique", "another"))
    keys.reads = 0
    echo(lines, [True] * len(lines), [False] * len(lines), window)
    assert keys.reads < 200 * len(lines)


def test_a_block_further_down_refers_to_its_first_copy() -> None:
    block = [f"a line of some length, number {i}" for i in range(10)]
    lines = split("\n".join([*block, "between", *block, "end"]))
    (run,) = again(lines, [True] * len(lines))
    assert (run.start, run.stop, run.target) == (11, 21, 0)
    assert run.reason == "same as lines 1-10"


def test_lines_of_a_screen_are_told_by_all_the_raw_lines_behind_them() -> None:
    drawn = [Line(f"row {i} was drawn from below to the top", 20 - i, 20 - i) for i in range(10)]
    lines = [*drawn, Line("between", 21, 21), *(Line(one.text, 22, 22) for one in drawn)]
    (run,) = again(lines, [True] * len(lines))
    assert run.reason == "same as lines 11-20"
