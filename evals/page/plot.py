"""The area of a chart: values to coordinates, axes, and the columns that answer to a pointer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from agentctx.evals.page.markup import Html, join, tag

Label = Callable[[float], str]
WIDE, NARROW = 1000, 372
_TICKS = 4  # about so many
"""Widths in which a chart is drawn; the style sheet shows the one that fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Columns 0 to `columns - 1` from left to right, values 0 to `most` from the bottom up."""

    width: int
    columns: int
    most: float
    height: int = 300
    left: int = 58
    right: int = 10
    top: int = 12
    bottom: int = 40

    @property
    def step(self) -> float:
        """The width of a column."""
        return (self.width - self.left - self.right) / max(1, self.columns)

    @property
    def floor(self) -> int:
        """Where zero lies."""
        return self.height - self.bottom

    def x(self, column: float) -> float:
        """Return the middle of a column."""
        return round(self.left + (column + 0.5) * self.step, 1)

    def y(self, value: float) -> float:
        """Return the height of a value."""
        room = self.floor - self.top
        return round(self.floor - room * value / (self.most or 1), 1)


def ticks(most: float) -> list[float]:
    """Return round values from 0 to at least `most`."""
    if most <= 0:
        return [0.0, 1.0]
    raw = most / _TICKS
    size = 10.0 ** floor(log10(raw))
    step = next(size * n for n in (1, 2, 2.5, 5, 10) if size * n >= raw * 0.999)
    return [round(step * n, 12) for n in range(ceil(most / step - 1e-9) + 1)]


def axes(plot: Plot, label: Label, under: str) -> Html:
    """Return grid lines with their values, and column numbers counted from 1."""
    return join(
        levels(plot, ticks(plot.most), label),
        (_number(plot, column) for column in _marked(plot)),
        below(plot, under),
    )


def levels(plot: Plot, values: Iterable[float], label: Label) -> Iterator[Html]:
    """Yield grid lines with their values."""
    return (_level(plot, value, label) for value in values if value <= plot.most * 1.001)


def below(plot: Plot, under: str) -> Html:
    """Return the name of what goes from left to right."""
    return tag(
        "text", under, x=(plot.left + plot.width - plot.right) / 2, y=plot.height - 4, class_="axis",
        text_anchor="middle",
    )  # fmt: skip


def hits(plot: Plot, tips: Sequence[str]) -> Iterator[Html]:
    """Yield an invisible column for each tip; the script shows it where the pointer is."""
    for column, tip in enumerate(tips):
        yield tag(
            "rect", class_="hit", data_tip=tip, x=round(plot.left + column * plot.step, 2),
            y=plot.top, width=round(plot.step, 2), height=plot.floor - plot.top,
        )  # fmt: skip


def drawing(plot: Plot, title: str, *children: object) -> Html:
    """Return a drawing of exactly this size, named for those who do not see it."""
    return tag(
        "svg", *children, viewBox=f"0 0 {plot.width} {plot.height}", role="img",
        aria_label=title, width=plot.width, height=plot.height,
    )  # fmt: skip


def both(draw: Callable[[int], Html]) -> Html:
    """Return a chart in two widths, of which one is shown."""
    return join(
        tag("div", draw(WIDE), class_="chart wide"), tag("div", draw(NARROW), class_="chart narrow")
    )


def _level(plot: Plot, value: float, label: Label) -> Html:
    y = plot.y(value)
    return join(
        tag("line", x1=plot.left, x2=plot.width - plot.right, y1=y, y2=y, class_="grid"),
        tag("text", label(value), x=plot.left - 8, y=y + 4, class_="axis", text_anchor="end"),
    )


def _number(plot: Plot, column: int) -> Html:
    return tag(
        "text", column + 1, x=plot.x(column), y=plot.floor + 17, class_="axis",
        text_anchor="middle",
    )  # fmt: skip


def _marked(plot: Plot) -> Iterator[int]:
    """Yield the columns that are numbered: the first, and round numbers that have room."""
    room = 34 / plot.step
    every = next((n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500) if n >= room), 1000)
    yield 0
    yield from (n - 1 for n in range(every, plot.columns + 1, every) if n - 1 >= room * 0.7)
