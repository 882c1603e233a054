"""The charts of a replay's report: one dot for each run, and curves over the calls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import ceil, floor

from agentctx.evals import figures
from agentctx.evals.page.charts import Series, legend, lines
from agentctx.evals.page.markup import Html, join, tag
from agentctx.evals.page.plot import Plot, below, drawing, levels, ticks
from agentctx.evals.results import Curve, Line, PolicyResult, Results

INKS = ("raw", "ours", "s2", "s3", "s4", "s5", "s6", "s7")
FAR = 1.3
"""A policy of which a run costs more than this, against raw, has a scale of its own."""

FEWEST = 0.1
"""The share of runs that must reach a call for it to be in a curve."""


def scatter(results: Results) -> Html:
    """Return for each policy but raw its runs: raw dollars to the right, dollars against raw upwards."""
    shown = [
        p for p in results.policies if any(line.dollars != line.dollars_raw for line in p.lines)
    ]
    if not shown:
        return tag("p", "No policy differs from raw.", class_="note")
    sources = sorted({line.source for p in shown for line in p.lines})
    inks = dict(zip(sources, INKS[1:], strict=False))
    near = [ratio for p in shown for ratio in _ratios(p) if max(_ratios(p)) <= FAR]
    most = max(line.dollars_raw for p in shown for line in p.lines)
    keys = legend([Series(source, inks.get(source, "s7"), ()) for source in sources])
    charts = (tag("figure", tag("figcaption", p.policy), _dots(p, near, most, inks)) for p in shown)
    return join(keys, tag("div", charts, class_="multiples"))


def curves(results: Results) -> Html:
    """Return mean tokens of each prompt, and mean dollars up to each call, for all policies."""
    kept = {p.policy: _kept(p.curve, results.runs) for p in results.policies}
    names = list(kept)
    if not any(kept.values()):
        return tag("p", "No calls.", class_="note")
    inks = {name: _ink(name, names) for name in names}
    prompts = [Series(n, inks[n], tuple(c.prompt for c in kept[n])) for n in names]
    spent = [Series(n, inks[n], tuple(accumulate(c.dollars for c in kept[n]))) for n in names]
    longest = max(len(points) for points in kept.values())
    return join(
        legend(prompts), tag("h3", "Mean tokens of a prompt"),
        lines("mean tokens of a prompt at each call", prompts, figures.short, "call", figures.count),
        tag("h3", "Mean dollars so far"),
        lines("mean dollars spent up to each call", spent, figures.money, "call"),
        tag("p", f"{results.runs:,} runs at call 1, {_runs(kept, longest):,} at call {longest}.", class_="note"),
    )  # fmt: skip


def _dots(policy: PolicyResult, near: list[float], most: float, inks: dict[str, str]) -> Html:
    ratios = _ratios(policy)
    low, high, step = _range(near if max(ratios) <= FAR else ratios)
    plot = Plot(width=340, height=250, columns=1, most=high - low, left=52)
    edge = ticks(most)[-1]
    one = plot.y(1 - low)
    return drawing(
        plot, f"dollars of {policy.policy} against raw, one dot for each run",
        levels(plot, (n * step for n in range(ceil((high - low) / step) + 1)),
               lambda value: f"{100 * (value + low):.0f} %"),
        below(plot, "dollars of the run, raw"),
        (_cost(plot, value, edge) for value in ticks(most)),
        tag("line", x1=plot.left, x2=plot.width - plot.right, y1=one, y2=one, class_="one"),
        (_dot(plot, line, low, edge, inks) for line in policy.lines),
    )  # fmt: skip


def _dot(plot: Plot, line: Line, low: float, edge: float, inks: dict[str, str]) -> Html:
    tip = "\n".join((
        line.run, f"calls\t{line.calls}", f"raw\t{figures.dollars(line.dollars_raw)}",
        f"sent\t{figures.dollars(line.dollars)}", f"against raw\t{figures.percent(line.ratio)}",
    ))  # fmt: skip
    return tag(
        "circle", cx=_across(plot, line.dollars_raw, edge), cy=plot.y(line.ratio - low), r=3.5,
        class_=f"dot {inks.get(line.source, 's7')}", data_tip=tip,
    )  # fmt: skip


def _cost(plot: Plot, value: float, edge: float) -> Html:
    return tag("text", figures.money(value), x=_across(plot, value, edge), y=plot.floor + 17, class_="axis",
               text_anchor="end" if value == edge else "middle")  # fmt: skip


def _across(plot: Plot, value: float, edge: float) -> float:
    return round(plot.left + (plot.width - plot.left - plot.right) * value / (edge or 1), 1)


def _ratios(policy: PolicyResult) -> list[float]:
    return [line.ratio for line in policy.lines]


def _range(ratios: Sequence[float]) -> tuple[float, float, float]:
    """Return edges that hold all ratios and 1, and a step between grid lines of which 1 is one."""
    low, high = min(*ratios, 0.95), max(*ratios, 1.05)
    step = next((s for s in (0.05, 0.1, 0.2, 0.25, 0.5) if high - low <= 6 * s), 1.0)
    return floor(low / step) * step, ceil(high / step) * step, step


def _kept(curve: Sequence[Curve], runs: int) -> list[Curve]:
    return [point for point in curve if point.runs >= max(1, FEWEST * runs)]


def _runs(kept: dict[str, list[Curve]], longest: int) -> int:
    return next(points[-1].runs for points in kept.values() if len(points) == longest)


def _ink(name: str, names: Sequence[str]) -> str:
    """Return raw's and agentctx's own colours, and the others' in their order."""
    if name in ("raw", "agentctx"):
        return "raw" if name == "raw" else "ours"
    others = [n for n in names if n not in ("raw", "agentctx")]
    return INKS[2 + others.index(name) % (len(INKS) - 2)]
