from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.terminal.lines import Line, split
from agentctx.terminal.screen import screen
from tests.terminal import streams
from tests.terminal.streams import SILENT


def shown(text: str, columns: int | None = None, rows: int | None = None) -> str:
    return "\n".join(line.text for line in screen(text, columns, rows))


def spans(text: str) -> list[tuple[str, int, int]]:
    return [(line.text, line.first, line.last) for line in screen(text)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "a\n\n  b  \n\tc\td\t\n",
        "no line end",
        "日本語 \u0301 \u200b\u2028\x85 \x9b31m é\n",
        '{"a": "\\u001b[31m"}\n',
        "^[[31mcaret notation^[[0m",
    ],
)
def test_text_without_controls_is_left_as_it_is(text: str) -> None:
    assert screen(text) == split(text)


def test_a_carriage_return_before_a_line_feed_is_part_of_the_line_end() -> None:
    assert screen("a \r\n\r\n\tb\r\n") == split("a \n\n\tb\n")
    assert screen("a \r\r\nb\r\r\n") == split("a \nb\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # colours, titles, links, modes, images: nothing is drawn
        ("\x1b[1;31mred\x1b[0m \x1b[38;5;12mblue\x1b[m\n", "red blue\n"),
        ("\x1b[38:2::1:2:3mrgb\x1b[4:3mcurly", "rgbcurly"),
        ("\x1b]0;title\x07a\x1b]2;title\x1b\\b", "ab"),
        ("\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]1337;File=inline=1:AAAA\x07picture", "picture"),
        ("\x1bPq#0;2;0;0;0~~\x1b\\sixel", "sixel"),
        ("\x1b_Gf=100;AAAA\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\kitty", "kitty"),
        ("\x1b[?25l\x1b[?2004h\x1b[?2026hx\x1b[?25h\x1b[>4;2m\x1b[=1u\x1b[<u\x1b[6n\x1b[c", "x"),
        ("\x1b=\x1b>\x1b(B\x1b)B\x1b%G\x1b#8\x0f\x1b N", ""),
        ("a\0b\x07c\x05d\x7fe", "abcde"),
        # characters of the line-drawing set
        ("\x1b(0lqk\x1b[31mx\x1b(Bx lqk", "┌─┐│x lqk"),
        ("\x1b)0a\x0eq\x0fq", "a─q"),
        # one line: carriage return, backspace, tab, erase
        ("10%\r50%\r100%\n", "100%\n"),
        ("downloading\rdone\n", "doneloading\n"),
        ("downloading\r\x1b[Kdone\n", "done\n"),
        ("abc\b\bX\n", "aXc\n"),
        ("N\bNA\bAM\bME\bE _\bf", "NAME f"),
        ("ab\r\b\bc", "cb"),
        ("a\tb\rA", "A\tb"),
        ("a\tb\r\tB", "a\tB"),
        ("a\tb\r12345", "12345   b"),
        ("a\t\rab\tc", "ab      c"),
        ("abcdef\x1b[3D\x1b[K", "abc"),
        ("abcdef\x1b[3D\x1b[1K", "    ef"),
        ("abcdef\x1b[2Kx", "      x"),
        ("abcdef\x1b[4D\x1b[2P", "abef"),
        ("abcdef\x1b[4D\x1b[2@XY", "abXYcdef"),
        ("abcdef\x1b[4D\x1b[2X", "ab  ef"),
        ("abcdef\x1b[4h\x1b[4DXY\x1b[4lZ", "abXYZdef"),
        ("abc\x1b[20h\rX", "Xbc"),
        ("abc def\x1b[3D\x1b[K", "abc"),
        ("ab\x1b[3Cc\x1b[Gd\x1b[4Ge", "db e c"),
        ("ab\x1b[6`c\x1b[2ad", "ab   c  d"),
        ("-\x1b[10b>", "----------->"),
        ("a\x1b[2Ib\x1b[Zc", "a               c"),
        # wide characters and marks
        ("日本語\r一", "一本語"),
        ("日本語\rx", "x 本語"),
        ("日本語\x1b[3Dx", "日 x語"),
        ("e\u0301\b\u00e8x", "èx"),
        ("日\x1b[K\u0301本", "日\u0301本"),
        ("\ra\r\u0301b", "\u0301b"),
        ("a\x1b[C\u0301b", "a \u0301b"),
        # several lines
        ("one\ntwo\n\x1b[2A\x1b[KONE\n", "ONE\ntwo"),
        ("one\ntwo\x1b[1FONE\x1b[1ETWO", "ONE\nTWO"),
        ("a\nb\nc\x1b[2;1HB\x1b[1dA", "aA\nB\nc"),
        ("a\x1b[?1048hb\x1b[?1048lc", "ac"),
        ("a\n\x1b7b\x1b8c\x1b[sd\x1b[ue", "a\nce"),
        ("a\nb\nc\x1b[2A\x1b[Mx", "x\nc"),
        ("a\nb\nc\x1b[2A\x1b[Lx", "x\na\nb\nc"),
        ("a\nb\nc\x1b[2A\x1b[Jx", "ax"),
        ("a\nb\nc\x1b[1A\x1b[1Jx", "\n x\nc"),
        ("a\x1bDb\x1bEc\x1bMd", "a\n d\nc"),
        ("a\x0bb\x0cc", "a\n b\n  c"),
        ("a\nb\x1b[2;3r\x1b[3;1Hc\nd", "a\nc\nd"),
        ("a\nb\x1b[Sc", "a\nb\n c"),
        ("a\x1b[5;9r\x1b[Sb", "b"),
        ("a\nb\x1b[2;2rc", "a\nbc"),
        ("\x1b[2;3r\x1bca\nb\nc\nd", "a\nb\nc\nd"),
        ("\x1b[Habc\r\x1b[Jx", "x"),
        ("a\nb\x1b[2Tc", "\n c\na\nb"),
    ],
)
def test_a_sequence_leaves_what_xterm_shows(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x1b", "a"),
        ("a\x1b[", "a"),
        ("a\x1b[3", "a"),
        ("a\x1b[38;5", "a"),
        ("a\x1b[?10", "a"),
        ("a\x1b]0;tit", "a"),
        ("a\x1b]0;title\x1b", "a"),
        ("a\x1bP1;2", "a"),
        ("a\x1b(", "a"),
        ("a [31", "a [31"),
        ("a\x1b\x1b[31mb", "ab"),
        ("a\x1b[3\x1b[31mb", "ab"),
        ("\x1b\x1b[m[31mtext", "[31mtext"),
        ("\x1b[12\x1b[mHtext", "Htext"),
        ("\x1b[31é", "é"),
        ("\x1b[1\nb", "\nb"),
        ("\x1b]0;never ended\nFAILED test_a\n", "\nFAILED test_a\n"),
        ("\x1bPnever ended\nFAILED test_a\n", "\nFAILED test_a\n"),
        ("\x1bPcut off\x1b[31mFAILED", "FAILED"),
    ],
)
def test_a_cut_or_broken_sequence_hides_no_text_but_its_own(text: str, expected: str) -> None:
    assert shown(text) == expected


# what may not be lost


def test_ten_thousand_frames_of_a_progress_bar_are_the_last_one() -> None:
    frames = "".join(f"\r{n / 100:6.2f}% {'█' * (n // 500):20}| {n}/10000" for n in range(10_001))
    assert spans(f"start\n{frames}\nend\n") == [
        ("start", 1, 1),
        ("100.00% ████████████████████| 10000/10000", 2, 2),
        ("end", 3, 3),
        ("", 4, 4),
    ]


def test_frames_drawn_over_each_other_are_the_last_one() -> None:
    frame = "".join(f"\x1b[2K => step {i} {{0}}\n" for i in range(4))
    text = "#1 start\n" + "\x1b[4A".join(frame.format(f"{n}s") for n in range(100)) + "#2 end\n"
    steps = [f" => step {i} 99s" for i in range(4)]
    assert shown(text) == "\n".join(["#1 start", *steps, "#2 end", ""])


def test_frames_erased_from_their_first_row_on_are_the_last_one() -> None:
    text = "log\n" + "\x1b[2A\x1b[J".join(f"a {n}\nb {n}\n" for n in range(50)) + "end"
    assert [line.text for line in screen(text)] == ["log", "a 49", "b 49", "end"]


def test_lines_printed_above_a_bar_stay_and_the_bar_moves_down() -> None:
    text = "".join(f"\r\x1b[Kitem {n}\n[{'#' * n:5}]" for n in range(5))
    assert shown(text) == "item 0\nitem 1\nitem 2\nitem 3\nitem 4\n[#### ]"


@pytest.mark.parametrize("clear", ["\x1b[2J", "\x1b[H\x1b[2J", "\x1b[H\x1b[J", "\x1b[1;1H\x1b[0J"])
@pytest.mark.parametrize("more", ["", "\x1b[3J"])
def test_clearing_the_screen_keeps_what_was_on_it(clear: str, more: str) -> None:
    text = f"FAILED test_a\n1 failed\n{clear}{more}\x1b[Hsecond run\n"
    assert shown(text) == "FAILED test_a\n1 failed\nsecond run\n"


def test_a_reset_keeps_what_was_on_the_screen() -> None:
    assert shown("error\n\x1bcclean\n") == "error\nclean\n"
    assert shown("error\n\x1b[?1049hdrawn\x1bcclean\n") == "error\nclean\n"


def test_clearing_an_empty_screen_adds_no_lines() -> None:
    assert shown("\x1b[H\x1b[2J\x1b[3J\x1b[2Jhello\n") == "hello\n"


def test_going_home_and_then_down_erases_only_what_is_below() -> None:
    assert shown("a\nb\nc\x1b[H\x1b[1B\x1b[J") == "a\n"


def test_the_alternate_screen_vanishes_when_it_is_left() -> None:
    for on, off in (("?1049h", "?1049l"), ("?47h", "?47l"), ("?1047h", "?1047l")):
        text = f"before\n$ vim\n\x1b[{on}\x1b[H\x1b[2Jdrawn\n~\n~\x1b[{off}after\n"
        assert shown(text) == "before\n$ vim\nafter\n"


def test_an_alternate_screen_that_is_not_left_is_shown_below_the_main_one() -> None:
    assert shown("before\n\x1b[?1049h\x1b[H\x1b[2Jone\r\ntwo") == "before\none\ntwo"


def test_leaving_an_alternate_screen_that_was_never_entered_changes_nothing() -> None:
    assert shown("a\nb\x1b[?1049lc") == "a\nbc"


def test_what_scrolls_off_the_top_cannot_be_overwritten() -> None:
    text = "".join(f"line {n}\n" for n in range(300)) + "\x1b[Htop\x1b[9999Aup"
    lines = shown(text, rows=10).split("\n")
    assert lines[:291] == [f"line {n}" for n in range(291)]
    assert lines[291] == "topup291"


def test_a_height_is_guessed_from_the_rows_that_are_addressed() -> None:
    before = "".join(f"line {n}\n" for n in range(60))
    status = "\x1b7\x1b[1;29r\x1b[30;1Hprogress\x1b8"
    lines = shown(before + status + "next\n").split("\n")
    assert lines[:60] == [f"line {n}" for n in range(60)]
    assert "progress" not in lines[:60]
    assert shown(before + status + "next\n") == shown(before + status + "next\n", rows=30)


def test_a_program_that_homes_without_clearing_overwrites_no_more_than_24_lines() -> None:
    text = "".join(f"line {n}\n" for n in range(100)) + "\x1b[Hx"
    assert shown(text).split("\n")[:77] == [f"line {n}" for n in range(77)]


def test_a_program_that_moves_up_far_is_followed() -> None:
    text = "".join(f"old {n}\n" for n in range(150)) + "\x1b[150A"
    text += "".join(f"\x1b[Knew {n}\n" for n in range(150))
    assert shown(text) == "".join(f"new {n}\n" for n in range(150))


def test_a_line_longer_than_the_terminal_is_one_line() -> None:
    text = "x" * 79 + " " + "y" * 200 + "\x1b[K\n" + "z  \n"
    assert shown(text, columns=80) == "x" * 79 + " " + "y" * 200 + "\nz  \n"


def test_moving_up_from_a_wrapped_line_goes_up_by_screen_rows() -> None:
    assert shown("a" * 100 + "\x1b[1A\rb", columns=80) == "b" + "a" * 99


def test_a_wide_character_that_does_not_fit_begins_the_next_row() -> None:
    assert shown("abc日\x1b[1Ax", columns=4) == "abx日"
    assert shown("日本語\x1b[K", columns=2) == "日本語"


def test_a_wrapped_line_whose_rest_was_erased_is_still_a_line() -> None:
    assert shown("abcde\x1b[2K\x1b[1A", columns=3) == "abc"


def test_a_wrapped_line_names_the_raw_lines_of_all_its_rows() -> None:
    assert screen("p\nq\x1b[1A\rabcd", columns=3) == (Line("abcd", 1, 2),)


def test_the_cursor_stays_within_a_known_width() -> None:
    assert shown("a\x1b[99Gx\rb", columns=10) == "b        x"
    assert shown("abcdefgh\tX\rz", columns=10) == "zbcdefgh\tX"
    assert shown("a\x1b[600Gx", columns=700) == "a" + " " * 598 + "x"


def test_a_column_far_out_is_the_edge_of_a_common_terminal_where_the_width_is_not_known() -> None:
    assert shown("a\x1b[999Gx") == "a" + " " * 78 + "x"
    assert shown("a" * 600 + "\x1b[999G\bx") == "a" * 599 + "x"


def test_the_cursor_stays_within_a_known_height() -> None:
    assert shown("\x1b[1;2r\x1b[3;1H\x1b[9Bx", rows=4) == "\n\n\nx"


def test_rows_that_were_jumped_over_are_kept_when_they_scroll_away() -> None:
    assert shown("\x1b[3Bx\n\n\n\n", rows=4) == "\n\n\nx\n\n\n\n"


def test_a_heap_of_marks_is_kept() -> None:
    text = "ab\b" + "\u0301" * 200 + "c"
    assert shown(text) == "a" + "\u0301" * 200 + "c"


def test_many_lines_in_a_region_that_does_not_reach_the_top_scroll_away_in_it() -> None:
    lines = "".join(f"line {n}\n" for n in range(40))
    text = f"top\n\x1b[2;5r\x1b[2;1H{lines}end"
    assert shown(text, rows=6) == "top\nline 37\nline 38\nline 39\nend"


def test_many_lines_on_the_alternate_screen_scroll_away() -> None:
    lines = "".join(f"line {n}\n" for n in range(40))
    assert shown(f"top\n\x1b[?1049h\x1b[H{lines}", rows=3) == "top\nline 38\nline 39\n"


@pytest.mark.parametrize("piece", ["x", "日", "a\tb ", "e\u0301"])
def test_a_very_long_line_is_kept_beside_controls(piece: str) -> None:
    text = piece * 20_000
    assert shown(f"{text}\n50%\r99%\n") == f"{text}\n99%\n"


def test_many_plain_lines_before_a_control_are_kept_as_they_are() -> None:
    plain = "".join(f"\tline {n} 日本  \n\n" for n in range(400))
    assert spans(f"{plain}1\r2\n{plain}")[:-1] == [
        *((line.text, line.first, line.last) for line in split(plain)[:-1]),
        ("2", 801, 801),
        *((line.text, line.first + 801, line.last + 801) for line in split(plain)[:-1]),
    ]


# where lines come from


def test_a_line_names_the_raw_lines_that_touched_it() -> None:
    assert spans("a\nb\n\x1b[2AA\n\nc") == [("A", 1, 3), ("b", 2, 2), ("c", 3, 5)]
    assert spans("a\n\x1b[1A\x1b[J\nb\n\x1b[2A\x1b[Jx\ny\n") == [
        ("x", 1, 4),
        ("y", 2, 5),
        ("", 4, 6),
    ]


@given(streams.stream(*streams.anything))
def test_the_raw_lines_of_a_line_are_there(text: str) -> None:
    last = text.count("\n") + 1
    for line in screen(text, rows=6):
        assert 1 <= line.first <= line.last <= last


@given(streams.stream(*streams.moving, streams.below, streams.clear))
def test_where_no_row_is_moved_lines_come_in_the_order_of_their_raw_lines(text: str) -> None:
    firsts = [line.first for line in screen(text, rows=6)]
    assert firsts == sorted(firsts)


@given(
    st.lists(st.one_of(streams.narrow, streams.wide, streams.silent, streams.tab, st.just("\n")))
)
def test_lines_with_colours_only_map_one_to_one(tokens: list[str]) -> None:
    text = "".join(tokens)
    printed = "".join(token for token in tokens if token not in SILENT)
    assert screen(text) == split(printed)


# laws


@given(st.one_of(streams.stream(*streams.anything), streams.noise))
def test_a_screen_shows_itself(text: str) -> None:
    once = shown(text)
    assert shown(once) == once


@given(st.one_of(streams.stream(*streams.anything), streams.noise))
def test_nothing_is_shown_that_was_not_printed(text: str) -> None:
    printed = Counter(text)
    visible = Counter(re.sub(r"[ \n]", "", shown(text, rows=6)))
    assert not visible - printed


@given(st.one_of(streams.stream(*streams.anything), streams.noise))
def test_no_control_character_is_shown(text: str) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", shown(text))


@given(st.lists(st.one_of(streams.narrow, streams.wide, streams.silent, streams.ends), max_size=60))
def test_lines_with_line_ends_only_are_kept_by_the_emulation_too(tokens: list[str]) -> None:
    text = "".join(token for token in tokens if token != "\r")
    printed = "".join(token for token in tokens if token not in {*SILENT, "\r"})
    assert shown("\x1b[A" + text) == printed.replace("\r\n", "\n")


# bounds


@pytest.mark.parametrize(
    "text",
    [
        "a\x1b[999999999Bb",
        "a\x1b[999999999;999999999Hb",
        "a\x1b[99999999999999999999999999999999Cb",
        "a\x1b[999999999@b",
        "a\x1b[999999999Lb",
        "a\x1b[999999999Sb",
        "a\x1b[999999999Tb",
        "a\x1b[999999999Xb",
        "a\x1b[999999999bb",
        "a\x1b[999999999Ib",
        "a\x1b[1;999999999rb",
        "a\x1b[999999999db",
        "a\x1b[" + "9" * 100_000 + "Bb",
        "a\x1b[" + "1;" * 100_000 + "Hb",
    ],
)
def test_absurd_parameters_cost_little(text: str) -> None:
    lines = screen(text)
    assert len(lines) <= 600
    assert sum(len(line.text) for line in lines) <= 10_000
    assert any("b" in line.text for line in lines)


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b[499Cx\n",
        "\x1b[999Bx\x1b[2J",
        "\x1b[99Bx\x1b[99S",
        "x\x1b[99@",
        "\x1b[99L",
        "x\x1b[4000b",
        "\x1b[499C\x1b[499Cx\x1b[2J",
    ],
)
def test_little_text_never_becomes_much(hostile: str) -> None:
    text = hostile * 2_000
    lines = screen(text)
    assert sum(len(line.text) + 1 for line in lines) <= 6 * len(text) + 200_000
