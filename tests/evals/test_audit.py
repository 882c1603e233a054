from __future__ import annotations

import pytest

from agentctx.evals.audit import Audit, audit, violations
from agentctx.evals.controls import Plain
from agentctx.evals.meter import Tally
from agentctx.evals.steps import hidden_tokens, stated
from agentctx.tokens import counter

RAW = "\n".join(["one", "two", "two", "\x1b[31mthree\x1b[0m", "10%\r20%\rfour"])
MARKER = "[agentctx: 1 of 5 lines hidden (middle) · line 2 · expand abc123]"


class Archive(Plain):
    """An arm that gives this original back for every handle."""

    def __init__(self, original: str | None) -> None:
        self.answer = original

    def expand(self, handle: str) -> str | None:
        return self.answer


@pytest.mark.parametrize(
    ("emitted", "count"),
    [
        (RAW, 0),
        ("one\ntwo\nthree\nfour", 0),
        (f"one\n{MARKER}\ntwo\nthree", 0),
        ("one\ntwo\ntwo\ntwo", 1),
        ("two\none", 1),
        ("one\nall good", 1),
        ("  one", 1),
        ("on", 1),
        ("[agentctx: made up]\nthree", 0),
        ("on\n[agentctx: 1 of 3 characters of line 1 hidden · expand abc123]", 0),
        ("ne\n[agentctx: 1 of 3 characters of line 1 hidden · expand abc123]", 1),
    ],
)
def test_lines_that_are_not_the_originals_are_counted(emitted: str, count: int) -> None:
    assert len(violations(RAW, emitted)) == count


def test_a_line_that_stands_coloured_and_later_plain_is_found_at_both_places() -> None:
    raw = "\x1b[31mwarning\x1b[0m\nfirst\nwarning\nsecond"
    assert violations(raw, "warning\nfirst\nwarning\nsecond") == ()


def test_hidden_lines_with_a_handle_that_gives_the_original_back_are_not_lost() -> None:
    emitted = f"one\n{MARKER}\ntwo\nthree\nfour"
    assert audit(RAW, emitted, Archive(RAW)) == Audit()


def test_hidden_lines_are_lost_when_the_handle_gives_other_bytes() -> None:
    emitted = f"one\n{MARKER}\ntwo\nthree\nfour"
    assert audit(RAW, emitted, Archive(RAW + "\n")).lost == 1


def test_a_handle_that_gives_nothing_dangles() -> None:
    found = audit(RAW, f"one\n{MARKER}", Archive(None))
    assert (found.dangling, found.lost) == (1, 4)


def test_lines_hidden_without_a_word_are_lost() -> None:
    assert audit(RAW, "one\ntwo", Plain()).lost == 3


def test_frames_that_a_terminal_overwrites_are_not_lost() -> None:
    assert audit(RAW, "one\ntwo\ntwo\nthree\nfour", Plain()) == Audit()


def test_steps_are_read_from_the_markers() -> None:
    text = (
        "[agentctx: 9 of 20 lines hidden (4 repeat the line before; 5 shown 2 results "
        "back by cat a, b, lines 1-5, numbers now +2) · lines 2-10 · expand abc123]\n"
        "kept\n[agentctx: 3 of 20 lines hidden (middle) · lines 12-14 · expand abc123]"
    )
    assert stated(text) == {"repeats": 4, "echo": 5, "budget": 3}


def test_tokens_without_a_marker_are_the_screens() -> None:
    tally = Tally(counter())
    assert list(hidden_tokens(RAW, "one\ntwo\ntwo\nthree\nfour", tally)) == ["screen"]
    assert list(hidden_tokens(RAW, "one", tally)) == ["cut"]
