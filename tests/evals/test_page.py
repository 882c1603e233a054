from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agentctx.errors import DataError
from agentctx.evals import demo, page, replay
from agentctx.evals.audit import is_marker
from agentctx.evals.laws import laws
from agentctx.evals.page.demo import render
from agentctx.evals.page.markup import visible
from tests.evals import chromium
from tests.evals.hostile import HOSTILE, Seen
from tests.evals.runs import mini, vorflux, write

BULK = "".join(f"{i:04d} an unremarkable line of output\n" for i in range(400))
LONG = BULK + "\n".join(HOSTILE) + "\n" + BULK
STEPS = ((f"cat {HOSTILE[0]}", LONG), ("cat it", LONG), (HOSTILE[2], LONG), ("echo 1", "1\n"))

needs_chromium = pytest.mark.skipif(
    chromium.BINARY is None, reason="Chromium is not installed (Debian: apt install chromium)"
)


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
    found = demo.run(demo_page.parent / "run.jsonl")
    played = found.played
    moved = replace(played, prefix=replace(played.prefix, extended=0))
    markup = render(moved, laws(moved), found.revival, 1.0)
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
