from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.evals import figures
from agentctx.evals.page.align import align
from agentctx.evals.page.charts import Series, lines
from agentctx.evals.page.exhibit import LARGEST, originals
from agentctx.evals.page.markup import Html, data, join, tag, text, visible
from agentctx.evals.page.plot import ticks
from agentctx.evals.results import Example
from tests.evals.hostile import HOSTILE, Seen

any_text = st.text(st.characters(), max_size=40)  # with surrogates and control characters


@given(any_text)
def test_text_comes_out_as_text_whatever_it_holds(value: str) -> None:
    markup = tag("p", value, title=value)
    markup.encode("utf-8")
    seen = Seen(markup)
    assert seen.tags == ["p"]
    assert "".join(seen.texts) == visible(value)
    assert seen.attributes == [("title", visible(value))]


@given(any_text)
def test_data_ends_no_script_and_comes_back(value: str) -> None:
    written = data([value])
    written.encode("ascii")
    assert "<" not in written
    assert json.loads(written) == [value]


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_makes_no_element(value: str) -> None:
    assert Seen(tag("td", value, data_tip=value)).tags == ["td"]


def test_what_cannot_be_seen_is_shown() -> None:
    assert visible("\x1b[1m\x00\x7f") == "␛[1m␀␡"
    assert visible("a\u202eb\ud800") == "a‹U+202E›b‹U+D800›"
    assert visible("tab\tline\n") == "tab\tline\n"


def test_markup_is_not_escaped_twice_and_nothing_is_nothing() -> None:
    assert text("<") == "&lt;"
    assert join(Html("<b>"), None, ["<", 1]) == "<b>&lt;1"
    assert (
        tag("input", disabled=True, hidden=False, class_="a", data_x=None)
        == '<input disabled class="a">'
    )


@given(st.lists(st.sampled_from(["a", "b", "", "same"]), min_size=1, max_size=30), st.data())
def test_every_line_stands_in_a_comparison_once(raw: list[str], draw: st.DataObject) -> None:
    first = draw.draw(st.integers(1, len(raw)))
    last = draw.draw(st.integers(first, len(raw)))
    marker = f"[agentctx: {last - first + 1} of {len(raw)} lines hidden (middle) · lines {first}-{last} · expand abcdef]"
    after = [*raw[: first - 1], marker, *raw[last:]]
    rows = align("\n".join(raw), "\n".join(after))
    assert [row.first for row in rows if row.first] == list(range(1, len(raw) + 1))
    assert [row.after for row in rows if row.kind != "hidden"] == after
    assert [row.first for row in rows if row.kind == "hidden"] == list(range(first, last + 1))


@given(any_text, any_text)
def test_any_two_texts_can_be_compared(before: str, after: str) -> None:
    rows = align(before, after)
    assert sorted(row.first for row in rows if row.first) == list(range(1, before.count("\n") + 2))
    assert [row.after for row in rows if row.kind != "hidden"] == after.split("\n")


def test_lines_that_a_terminal_overwrites_are_matched_with_what_it_shows() -> None:
    rows = align("10 %\r100 %\ndone", "100 %\ndone")
    assert [(row.kind, row.first) for row in rows] == [("kept", 1), ("kept", 2)]


@given(st.floats(1e-6, 1e9))
def test_an_axis_reaches_over_its_values_in_few_round_steps(most: float) -> None:
    values = ticks(most)
    assert values[0] == 0
    assert values[-1] >= most * 0.999
    assert 2 <= len(values) <= 9


def test_numbers_do_not_claim_more_than_is_true() -> None:
    assert figures.recall(99_999, 100_000) == "99.99 %"
    assert figures.recall(5, 5) == "100 %"
    assert figures.recall(0, 0) == "100 %"
    assert figures.change(100, 90) == "−10.0 %"
    assert figures.change(100, 110) == "+10.0 %"
    assert figures.change(0, 0) == "0 %"
    assert figures.less(-0.1) == "+10.0 %"
    assert [figures.short(n) for n in (950, 12_345, 123_456, 1_500_000)] == [
        "950",
        "12.3k",
        "123k",
        "1.5M",
    ]
    assert [figures.money(n) for n in (0, 0.1, 0.025, 2)] == ["$0", "$0.10", "$0.025", "$2.00"]


def test_a_chart_without_values_is_still_a_chart() -> None:
    assert "svg" in lines("none", [Series("a", "raw", ())], figures.short, "call")


def test_originals_that_are_too_large_for_a_page_are_left_out() -> None:
    small, large = _example("small\n"), _example("x" * (LARGEST + 1))
    written = Seen(originals([large, small]))
    values = json.loads("".join(written.texts))
    assert values[0]["text"] is None
    assert values[1]["text"] == "small\n"


def _example(before: str) -> Example:
    return Example(
        run="r", number=0, command="c", family="read", before=before, after=before,
        tokens_before=1, tokens_after=1,
    )  # fmt: skip
