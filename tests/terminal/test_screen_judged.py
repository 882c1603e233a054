from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given

from agentctx.terminal.lines import decode
from agentctx.terminal.screen import screen
from tests.terminal import streams
from tests.terminal.oracle import flat, judge, judgements

WIDE, ROWS = 600, 6  # wide enough that no generated line wraps
CAPTURES = sorted((Path(__file__).parent / "captures").glob("*.bin"))


def shown(stream: str, columns: int | None = None, rows: int | None = None) -> list[str]:
    return flat([line.text for line in screen(stream, columns, rows)])


def filled(lines: list[str]) -> list[str]:
    return [line for line in lines if line]


@given(streams.stream(*streams.moving, streams.below))
def test_moves_and_erases_leave_what_the_judge_shows(stream: str) -> None:
    assert shown(stream, rows=ROWS) == judge(stream, WIDE, ROWS)


@given(streams.stream(*streams.moving, streams.rows, streams.region))
def test_scrolling_regions_leave_what_the_judge_shows(stream: str) -> None:
    assert shown(stream, rows=ROWS) == judge(stream, WIDE, ROWS)


@given(streams.stream(*streams.anything))
def test_clears_and_the_alternate_screen_leave_the_lines_that_the_judge_shows(stream: str) -> None:
    # Rows that were only jumped over are not kept when the screen is cleared.
    assert filled(shown(stream, rows=ROWS)) == filled(judge(stream, WIDE, ROWS))


@given(
    streams.stream(
        streams.narrow,
        streams.narrow,
        streams.silent,
        streams.ends,
        streams.back,
        streams.cursor,
        streams.to_row,
        streams.erase,
        streams.below,
    )
)
def test_at_a_known_width_lines_wrap_as_the_judge_wraps_them(stream: str) -> None:
    assert filled(shown(stream, 12, ROWS)) == filled(judge(stream, 12, ROWS))


def sized(capture: Path) -> tuple[str, int, int]:
    rows, columns = map(int, capture.name.split(".")[1].split("x"))
    return decode(capture.read_bytes()), columns, rows


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda capture: capture.name)
def test_a_capture_ends_as_the_judge_shows_it_at_its_real_size(capture: Path) -> None:
    text, columns, rows = sized(capture)
    assert shown(text, columns, rows) == judge(text, columns, rows)


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda capture: capture.name)
def test_a_capture_ends_in_the_same_lines_without_its_size(capture: Path) -> None:
    text, columns, rows = sized(capture)
    assert shown(text) == judge(text, columns, rows)


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda capture: capture.name)
def test_a_capture_cut_anywhere_shows_what_the_judge_shows_there(capture: Path) -> None:
    text, columns, rows = sized(capture)
    parts = re.split(r"(?<=\n)", text)
    parts = ["".join(parts[at : at + 7]) for at in range(0, len(parts), 7)]
    for end, judged in enumerate(judgements(parts, columns, rows), 1):
        assert shown("".join(parts[:end]), columns, rows) == judged, end


@pytest.mark.parametrize("name", ["less", "man", "vim", "watch"])
def test_the_last_picture_of_an_alternate_screen_is_shown_if_it_is_not_left(name: str) -> None:
    [capture] = [path for path in CAPTURES if path.name.startswith(name)]
    text, columns, rows = sized(capture)
    cut = text[: text.rfind("\x1b[?1049l")]
    picture = shown(cut, columns, rows)
    assert len(filled(picture)) > 10
    assert picture == judge(cut, columns, rows)
