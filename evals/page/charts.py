"""Charts over the calls of a run: lines, stacked areas and stacked bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from agentctx.evals.page.markup import Html, tag
from agentctx.evals.page.plot import Label, Plot, axes, both, drawing, hits, ticks

GAP = 0.18
"""The part of a column that a bar leaves free."""


@dataclass(frozen=True, slots=True)
class Series:
    """One value for each call; `ink` names its colour in the style sheet."""

    name: str
    ink: str
    values: tuple[float, ...]


def legend(series: Sequence[Series]) -> Html:
    """Return what each colour means."""
    keys = (tag("li", tag("i", class_=f"key {one.ink}"), one.name) for one in series)
    return tag("ul", keys, class_="legend")


def lines(
    title: str, series: Sequence[Series], label: Label, under: str, exact: Label | None = None
) -> Html:
    """Return lines, the room between two shaded; `exact` writes values where there is room."""
    tips = list(_tips(series, exact or label, under))

    def draw(width: int) -> Html:
        plot = _plot(width, max(chain.from_iterable(s.values for s in series), default=0), series)
        pair = series[:2] if len(series) == 2 else ()
        return drawing(
            plot, title, axes(plot, label, under),
            tag("path", d=_between(plot, *(s.values for s in pair)), class_="saved") if pair else "",
            (_line(plot, one) for one in series), hits(plot, tips),
        )  # fmt: skip

    return both(draw)


def areas(title: str, stack: Sequence[Series], above: Series, label: Label, under: str) -> Html:
    """Return stacked areas and one line to compare them with."""
    levels = _levels(stack)
    tips = list(_tips([*stack, above], label, under))

    def draw(width: int) -> Html:
        plot = _plot(width, max([*levels[-1], *above.values], default=0), [above])
        shapes = (
            tag("path", d=_between(plot, high, low), class_=f"area {one.ink}")
            for one, low, high in zip(stack, levels, levels[1:], strict=False)
        )
        return drawing(
            plot, title, axes(plot, label, under), shapes, _line(plot, above), hits(plot, tips)
        )

    return both(draw)


def bars(title: str, stack: Sequence[Series], above: Series, label: Label, under: str) -> Html:
    """Return stacked bars, with a dash where another total lies."""
    levels = _levels(stack)
    tips = list(_tips([*stack, above], label, under))

    def draw(width: int) -> Html:
        plot = _plot(width, max([*levels[-1], *above.values], default=0), [above])
        shapes = (
            tag("path", d="".join(_bars(plot, low, high)), class_=f"area {one.ink}")
            for one, low, high in zip(stack, levels, levels[1:], strict=False)
        )
        dashes = tag("path", d="".join(_dashes(plot, above.values)), class_=f"line {above.ink}")
        return drawing(plot, title, axes(plot, label, under), shapes, dashes, hits(plot, tips))

    return both(draw)


def share(parts: Sequence[tuple[str, float]], of: float, title: str) -> Html:
    """Return one bar of coloured parts, as long as its column is wide: (ink, size) each."""
    begins = accumulate((size for _, size in parts), initial=0.0)
    scale = 100 / of if of else 0
    return tag(
        "svg",
        (
            tag("rect", x=round(begin * scale, 3), y=0, width=round(size * scale, 3), height=10,
                class_=f"area {ink}")
            for (ink, size), begin in zip(parts, begins, strict=False)
        ),
        viewBox="0 0 100 10", preserveAspectRatio="none", role="img", aria_label=title, class_="share",
    )  # fmt: skip


def _plot(width: int, most: float, series: Sequence[Series]) -> Plot:
    columns = max((len(one.values) for one in series), default=1)
    return Plot(
        width=width, columns=columns, most=ticks(most)[-1], height=300 if width > 500 else 250
    )


def _levels(stack: Sequence[Series]) -> list[tuple[float, ...]]:
    """Return the lower and upper edges of all parts, from the bottom up."""
    base = tuple(0.0 for _ in stack[0].values)
    return list(
        accumulate(
            (one.values for one in stack),
            lambda low, add: tuple(a + b for a, b in zip(low, add, strict=True)),
            initial=base,
        )
    )


def _line(plot: Plot, series: Series) -> Html:
    points = " ".join(f"{plot.x(i)},{plot.y(value)}" for i, value in enumerate(series.values))
    return tag("polyline", points=points, class_=f"line {series.ink}")


def _between(plot: Plot, high: Sequence[float], low: Sequence[float]) -> str:
    there = [f"{plot.x(i)},{plot.y(value)}" for i, value in enumerate(high)]
    back = [f"{plot.x(i)},{plot.y(value)}" for i, value in enumerate(low)][::-1]
    return f"M{' L'.join(there + back)}Z" if there else ""


def _bars(plot: Plot, low: Sequence[float], high: Sequence[float]) -> Iterator[str]:
    width = round(plot.step * (1 - GAP), 2)
    for column, (a, b) in enumerate(zip(low, high, strict=True)):
        left = round(plot.x(column) - width / 2, 2)
        yield f"M{left},{plot.y(a)}V{plot.y(b)}h{width}V{plot.y(a)}Z"


def _dashes(plot: Plot, values: Sequence[float]) -> Iterator[str]:
    half = plot.step * (1 - GAP) / 2
    for column, value in enumerate(values):
        yield f"M{plot.x(column) - half:.2f},{plot.y(value)}h{2 * half:.2f}"


def _tips(series: Sequence[Series], label: Label, under: str) -> Iterator[str]:
    for column in range(max((len(one.values) for one in series), default=0)):
        shown = [s for s in series if column < len(s.values)]
        rows = [f"{one.name}\t{label(one.values[column])}" for one in shown]
        yield "\n".join([f"{under} {column + 1}", *rows])
