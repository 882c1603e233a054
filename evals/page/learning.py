"""Pages about rules that are learnt: what became of proposals, and savings against tasks seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentctx.evals import figures
from agentctx.evals.page.charts import Series, legend, lines
from agentctx.evals.page.document import card, cards, document, pill, row, section, table
from agentctx.evals.page.markup import Html, join, tag
from agentctx.learn.lesson import Lesson
from agentctx.terminal.trial import applied

_LEAD = (
    "Observation tokens that rules hide, beyond what is hidden without any, on runs of other tasks."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What rules that were learnt on so many tasks do to runs of other tasks. Shares of 1."""

    tasks: int
    rules: int
    reduction: float
    evidence_recall: float
    future_use_recall: float


def report(lessons: Sequence[Lesson], outputs: int) -> str:
    """Return the page of what was proposed, what became of it, and why."""
    active = [lesson for lesson in lessons if not lesson.why]
    saved = sum(lesson.shadow.saved + lesson.held_out.saved for lesson in active)
    header = tag(
        "header",
        tag("h1", "Rules out of runs"),
        cards(
            card("outputs", figures.count(outputs), "seen"),
            card("proposals", figures.count(len(lessons)), "mined, or of a model"),
            card("active", figures.count(len(active)), "proven on tasks they were not made from"),
            card("tokens", figures.count(saved), "saved on those runs"),
        ),
    )
    columns = ("rule", "became", "because", "tokens saved", "on other tasks")
    told = table(columns, map(_row, lessons), "What became of each proposal", words=3)
    return document(
        "Rules out of runs",
        header,
        section("proposals", "What became of each", told),
        section("samples", "What they do", map(_sample, active)) if active else None,
    )


def curve(points: Sequence[Point], shipped: Point) -> str:
    """Return the page of savings against tasks seen; the first point is without any rule."""
    none, best = points[0], max(points, key=lambda point: point.reduction)
    gain = (best.reduction - none.reduction) / ((shipped.reduction - none.reduction) or 1)
    series = (
        Series("rules that ship", "raw", (shipped.reduction - none.reduction,) * len(points)),
        Series("learnt", "ours", tuple(max(0, p.reduction - none.reduction) for p in points)),
    )
    title = "observation tokens that rules hide beyond what is hidden without any"
    under = "step; the table says how many tasks each saw"
    drawn = lines(title, series, lambda share: figures.percent(share, 2), under)
    header = tag(
        "header",
        tag("h1", "What rules learn"),
        cards(
            card("without rules", figures.percent(none.reduction), "of observation tokens hidden"),
            card("learnt", figures.percent(best.reduction), f"on {best.tasks} tasks"),
            card("rules that ship", figures.percent(shipped.reduction), f"{shipped.rules} rules"),
            card("of their gain", figures.percent(gain, 0), "is learnt from nothing"),
        ),
    )
    columns = ("rules", "tasks seen", "rules", "hidden", "evidence kept", "used later kept")
    rows = [_point(f"step {n}", one) for n, one in enumerate(points, 1)]
    rows.append(_point("rules that ship", shipped))
    shown = table(columns, rows, "The same figures, on runs of other tasks")
    return document(
        "What rules learn",
        header,
        section("curve", "Savings", legend(series), drawn, shown, lead=_LEAD),
    )


def _point(name: str, one: Point) -> Html:
    return row(
        name,
        figures.count(one.tasks),
        figures.count(one.rules),
        figures.percent(one.reduction, 2),
        f"{one.evidence_recall:.4f}",
        f"{one.future_use_recall:.4f}",
    )


def _row(lesson: Lesson) -> Html:
    kinds = f"{len(lesson.rule.strip_patterns)} kinds of lines, {lesson.rule.provenance}"
    dropped = (tag("small", tag("br"), f"without {p}: {why}") for p, why in lesson.dropped)
    return row(
        lesson.rule.rule_id,
        pill("refused", good=False) if lesson.why else pill("active", good=True),
        join(lesson.why or kinds, dropped),
        figures.count(lesson.shadow.saved),
        figures.count(lesson.held_out.saved),
        words=3,
    )


def _sample(lesson: Lesson) -> Html:
    [sample, *_] = lesson.rule.tests
    made = applied(lesson.rule, sample)
    tokens = f"{figures.count(made.tokens_before)} tokens, then {figures.count(made.tokens_after)}"
    patterns = (tag("li", tag("code", pattern)) for pattern in lesson.rule.strip_patterns)
    return join(
        tag("h3", lesson.rule.rule_id),
        tag("p", f"A line goes that matches one of these; {tokens}:"),
        tag("ul", patterns),
        tag("h4", f"$ {sample.command}"),
        tag("pre", sample.output, class_="command"),
        tag("h4", "what the model sees"),
        tag("pre", made.text, class_="command"),
    )
