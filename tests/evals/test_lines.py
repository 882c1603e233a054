from __future__ import annotations

import pytest

from agentctx.evals.lines import moves, visible


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("plain\nlines", ["plain", "lines"]),
        ("\x1b[31mred\x1b[0m", ["red"]),
        ("10%\r20%\rdone", ["done"]),
        ("loading\rok", ["okading"]),
        ("loading\r\x1b[Kok", ["ok"]),
        ("ab\x08c", ["ac"]),
        ("line\r\nnext", ["line", "next"]),
        ("\x1b]0;title\x07text", ["text"]),
        ("trailing  ", ["trailing  "]),
    ],
)
def test_a_line_stands_as_a_terminal_leaves_it(raw: str, seen: list[str]) -> None:
    assert visible(raw) == seen


def test_only_moves_between_lines_are_beyond_it() -> None:
    assert moves("a\x1b[1Ab")
    assert not moves("\x1b[31ma\x1b[K\r")
