from __future__ import annotations

from agentctx.terminal.evidence import evidence
from agentctx.terminal.lines import split


def kept(text: str) -> list[str]:
    lines = split(text)
    return [line.text for line, keep in zip(lines, evidence(lines), strict=True) if keep]


def test_a_quote_that_is_never_closed_on_its_line_swallows_no_error() -> None:
    assert kept('File "a.py\nerror: bad\nmore", line 3\nend') == ["error: bad"]


def test_the_place_of_a_frame_is_kept() -> None:
    assert kept('x\n  File "a b.py", line 3, in f\ny') == ['  File "a b.py", line 3, in f']
