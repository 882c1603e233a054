from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import DataError
from agentctx.evals import demo, page, replay
from agentctx.evals.audit import is_marker
from agentctx.evals.page import figures
from agentctx.evals.page.align import align
from agentctx.evals.page.charts import Series, lines
from agentctx.evals.page.demo import render
from agentctx.evals.page.exhibit import LARGEST, originals
from agentctx.evals.page.markup import Html, data, join, tag, text, visible
from agentctx.evals.page.plot import ticks
from agentctx.evals.results import Example
from tests.evals import chromium
from tests.evals.runs import mini, vorflux, write

HOSTILE = (
    "</script><script>window.broken = 1</script>",
    "<img src=x onerror='window.broken = 1'>",
    "\"><svg onload=window.broken=1> ' & &amp; &lt; </style></pre></code></dialog> -->",
    "<!-- <script> ]]> ${window.broken=1} `x`",
    "\x00\x01\x07\x08\x1b[31mred\x1b[0m \x7f \x85 \u202e \u2028 \ufeff",
    "lone \ud800 and \udfff surrogates, \U0001f600 and \ufffd",
    "https://example.org/?a=1&b=2 url(https://example.org/x.png)",
)
BULK = "".join(f"{i:04d} an unremarkable line of output\n" for i in range(400))
LONG = BULK + "\n".join(HOSTILE) + "\n" + BULK
STEPS = ((f"cat {HOSTILE[0]}", LONG), ("cat it", LONG), (HOSTILE[2], LONG), ("echo 1", "1\n"))

needs_chromium = pytest.mark.skipif(
    chromium.BINARY is None, reason="Chromium is not installed (Debian: apt install chromium)"
)
any_text = st.text(st.characters(), max_size=40)  # with surrogates and control characters


class Seen(HTMLParser):
    """Collects what a browser would: elements, their attributes, and text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def demo_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    found = demo.run(write(folder / "run.jsonl", vorflux(*STEPS, task=HOSTILE[0])))
    demo.write(found, folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def replay_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replay")
    path = write(
        folder / "runs.jsonl", vorflux(*STEPS), mini(*STEPS[:2], *STEPS[3:], task=HOSTILE[1])
    )
    results = replay.run([path], ["raw", "mask", "lossless", "agentctx", "random"])
    page.save(page.render(results), folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Page]:
    with chromium.page(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


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


@pytest.mark.parametrize("name", ["demo_page", "replay_page"])
def test_a_page_asks_for_nothing_and_says_so(name: str, request: pytest.FixtureRequest) -> None:
    markup = request.getfixturevalue(name).read_text(encoding="utf-8")
    seen = Seen(markup)
    asked = {"src", "href", "srcset", "action", "data", "poster", "background", "style"}
    assert not asked & {key for key, _ in seen.attributes}
    assert not any(key.startswith("on") for key, _ in seen.attributes)
    assert seen.tags.count("script") == 2
    assert not {"img", "link", "iframe", "object", "base"} & set(seen.tags)
    policy = next(
        value for key, value in seen.attributes if key == "content" and "default-src" in str(value)
    )
    assert str(policy).startswith("default-src 'none'; script-src 'sha256-")
    assert "url(" not in re.sub(r"url\(https://example", "", markup)


def test_a_report_names_its_run_its_laws_and_every_handle(demo_page: Path) -> None:
    found = demo.run(demo_page.parent / "run.jsonl").played
    markup = demo_page.read_text(encoding="utf-8")
    for proof in found.proofs:
        if proof.handle:
            assert f">{proof.handle}</button>" in markup
    assert "agentctx demo --html report.html" in markup
    assert markup.count('class="pill good">holds') == 6
    markers = [
        line for one in found.observations for line in one.after.split("\n") if is_marker(line)
    ]
    assert markup.count("<mark>") == len(markers) > 0


def test_a_page_of_one_policy_needs_no_other(tmp_path: Path) -> None:
    results = replay.run([write(tmp_path / "a.jsonl", vorflux(("echo", "x\n")))], ["raw"])
    assert "No policy differs from raw." in page.render(results)


def test_a_page_that_cannot_be_written_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--html"):
        page.save("x", tmp_path / "none" / "x.html")


def test_the_demo_page_does_not_hide_a_broken_law(demo_page: Path) -> None:
    from dataclasses import replace

    from agentctx.evals.laws import laws

    played = demo.run(demo_page.parent / "run.jsonl").played
    moved = replace(played, prefix=replace(played.prefix, extended=0))
    markup = render(moved, laws(moved), 1.0)
    assert "5 of 6 laws hold" in markup
    assert 'class="pill bad">broken' in markup


@needs_chromium
@pytest.mark.parametrize("width", [1280, 420])
@pytest.mark.parametrize("name", ["demo_page", "replay_page"])
def test_a_page_opens_from_disk_in_silence(
    name: str, width: int, browser: chromium.Page, request: pytest.FixtureRequest
) -> None:
    path = request.getfixturevalue(name)
    browser.open(path, width=width)
    assert browser.requests() == [path.resolve().as_uri()]
    assert browser.complaints() == []
    assert browser.js("window.broken") is None
    assert browser.js("document.documentElement.scrollWidth <= innerWidth")


@needs_chromium
@pytest.mark.parametrize("name", ["demo_page", "replay_page"])
def test_a_click_on_a_handle_shows_the_original(
    name: str, browser: chromium.Page, request: pytest.FixtureRequest
) -> None:
    browser.open(request.getfixturevalue(name))
    handle = browser.js("document.querySelector('mark .open').textContent")
    browser.click("mark .open")
    assert browser.js("document.querySelector('dialog').open")
    assert browser.js("document.querySelector('dialog h2').textContent") == f"expand {handle}"
    shown = "[...document.querySelectorAll('.original .l')].map(e => e.textContent).join('\\n')"
    assert browser.js(shown) == visible(LONG)
    assert browser.js("document.querySelectorAll('.original .row.hidden').length") > 100
    browser.click("dialog .close")
    assert not browser.js("document.querySelector('dialog').open")
    assert browser.js("window.broken") is None
    assert browser.complaints() == []


@needs_chromium
def test_hidden_lines_unfold_and_views_change(browser: chromium.Page, demo_page: Path) -> None:
    browser.open(demo_page)
    count = (
        "document.querySelector('.exhibit .rows').querySelectorAll('.row.hidden:not(.fold)').length"
    )
    folded = int(browser.js("document.querySelector('.fold.hidden button').dataset.to")) - int(
        browser.js("document.querySelector('.fold.hidden button').dataset.from")
    )
    before = browser.js(count)
    browser.click(".fold.hidden button")
    assert browser.js(count) == before + folded + 1
    browser.click(".exhibit [data-show=after]")
    assert browser.js("document.querySelector('.exhibit').dataset.view") == "after"
    assert (
        browser.js("getComputedStyle(document.querySelector('.exhibit .row.hidden')).display")
        == "none"
    )


@needs_chromium
def test_lines_of_an_original_can_be_filtered(browser: chromium.Page, demo_page: Path) -> None:
    browser.open(demo_page)
    browser.click("mark .open")
    browser.js(
        "(() => { const i = document.querySelector('dialog input'); i.value = 'SURROGATES';"
        "i.dispatchEvent(new Event('input')); })()"
    )
    shown = "[...document.querySelectorAll('.original .row')].filter(e => e.offsetHeight).length"
    assert browser.js(shown) == 1


@needs_chromium
def test_a_pointer_over_a_call_shows_its_figures(browser: chromium.Page, demo_page: Path) -> None:
    browser.open(demo_page)
    browser.js("document.querySelector('#tokens').scrollIntoView()")
    place = browser.js(
        "(() => { const r = document.querySelectorAll('.chart.wide .hit')[3].getBoundingClientRect();"
        "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
    )
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
    assert browser.js("document.querySelector('#tip').className") == "on"
    assert browser.js("document.querySelector('#tip b').textContent") == "call 4"


def _example(before: str) -> Example:
    return Example(
        run="r", number=0, command="c", family="read", before=before, after=before,
        tokens_before=1, tokens_after=1,
    )  # fmt: skip
