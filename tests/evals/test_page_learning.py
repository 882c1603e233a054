from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentctx.evals import page
from agentctx.evals.page.learning import Point, curve, report
from agentctx.evals.page.markup import visible
from agentctx.learn.gate import Verdict
from agentctx.learn.lesson import Lesson, learn
from tests.evals import chromium
from tests.evals.hostile import HOSTILE, Seen
from tests.evals.test_page import needs_chromium
from tests.learn.outputs import history

POINTS = [
    Point(tasks=t, rules=r, reduction=0.2 + 0.01 * r, evidence_recall=1, future_use_recall=0.999)
    for t, r in ((0, 0), (10, 1), (90, 2))
]
SHIPPED = Point(tasks=0, rules=40, reduction=0.23, evidence_recall=1, future_use_recall=0.998)


def lessons() -> list[Lesson]:
    """Return what is learnt from outputs, and a proposal whose every text is hostile."""
    [good] = learn(history())
    [sample] = good.rule.tests
    evil = replace(
        good.rule,
        rule_id=HOSTILE[0],
        provenance=HOSTILE[1],
        strip_patterns=(*good.rule.strip_patterns, HOSTILE[2]),
        tests=(replace(sample, command=HOSTILE[0], output="\n".join([sample.output, *HOSTILE])),),
    )
    bad = Lesson(rule=evil, shadow=Verdict(), held_out=Verdict(why=HOSTILE[1]))
    return [good, replace(good, rule=evil, dropped=((HOSTILE[0], HOSTILE[1]),)), bad]


def test_what_outputs_and_models_say_is_text() -> None:
    markup = report(lessons(), 30)
    seen = Seen(markup)
    assert not any(key.startswith("on") for key, _ in seen.attributes)
    assert not {"src", "href"} & {key for key, _ in seen.attributes}
    for text in HOSTILE:
        assert visible(text.split("\n")[0]).strip() in " ".join(seen.texts)


def test_the_curve_says_what_was_learnt() -> None:
    markup = curve(POINTS, SHIPPED)
    assert "67 %" in markup
    assert "22.00 %" in markup


@needs_chromium
@pytest.mark.parametrize("dark", [False, True])
def test_pages_are_shown_without_a_complaint(tmp_path: Path, dark: bool) -> None:
    page.save(report(lessons(), 30), tmp_path / "report.html")
    page.save(curve(POINTS, SHIPPED), tmp_path / "curve.html")
    with chromium.page(tmp_path / "profile") as browser:
        for name, parts in (("report", "main pre"), ("curve", "main svg path")):
            browser.open(tmp_path / f"{name}.html", dark=dark)
            assert browser.complaints() == []
            assert browser.js(f"document.querySelectorAll({parts!r}).length") >= 2
            wide = "document.documentElement.scrollWidth <= window.innerWidth"
            assert browser.js(wide)
