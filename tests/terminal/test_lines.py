from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.terminal.lines import Line, decode, split


@given(st.text())
def test_lines_joined_are_the_text_again(text: str) -> None:
    assert "\n".join(line.text for line in split(text)) == text


@given(st.text("ab\n\r\x0b\x0c\x1c\x85\u2028"))
def test_only_line_feeds_end_a_raw_line(text: str) -> None:
    lines = split(text)
    assert len(lines) == text.count("\n") + 1
    assert [(line.first, line.last) for line in lines] == [(n, n) for n in range(1, len(lines) + 1)]


def test_a_split_line_is_an_ordinary_line() -> None:
    assert split("a\n") == (Line("a", 1, 1), Line("", 2, 2))
    assert hash(split("a")[0]) == hash(Line("a", 1, 1))
    assert repr(split("a")[0]) == "Line(text='a', first=1, last=1)"


@given(st.text())
def test_utf_8_is_read_as_it_was_written(text: str) -> None:
    kept = text.removeprefix("\ufeff")
    assert decode(text.encode("utf-8", "replace")) == kept.encode("utf-8", "replace").decode()


@given(st.binary())
def test_decoding_keeps_every_line(data: bytes) -> None:
    text = decode(data)
    assert text.count("\n") == data.count(b"\n")
    text.encode("utf-8")  # fails on surrogates


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"caf\xe9 \xff\n", "caf� �\n"),
        (b"\xe2\x94\n", "�\n"),
        (b"\xef\xbb\xbfa", "a"),
        ("häß\nx".encode("utf-16"), "häß\nx"),
        ("\ufeffhäß\nx".encode("utf-16-be"), "häß\nx"),
        (b"", ""),
    ],
)
def test_what_is_not_utf_8_is_replaced_and_marks_are_dropped(data: bytes, text: str) -> None:
    assert decode(data) == text


def test_utf_16_whose_bytes_have_other_line_ends_is_not_read_as_such() -> None:
    data = "\ufeffĊx\n".encode("utf-16-le")  # U+010A holds a byte 0x0A
    assert decode(data).count("\n") == data.count(b"\n") == 2
