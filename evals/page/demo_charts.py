"""The charts of the demo: tokens and dollars over the calls of one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from agentctx.evals import figures
from agentctx.evals.page.charts import Series, areas, bars, legend, lines, share
from agentctx.evals.page.document import row, table
from agentctx.evals.page.markup import Html, join, tag
from agentctx.evals.play import Played
from agentctx.prices import Price, price
from agentctx.values import Usage

Rate = Callable[[Usage, Price], float]
_PARTS: tuple[tuple[str, str, Rate], ...] = (
    ("cache read", "read", lambda usage, rates: usage.cache_read * rates.cache_read),
    ("cache write", "write", lambda usage, rates: usage.cache_write * rates.cache_write),
    ("fresh input", "fresh", lambda usage, rates: usage.input * rates.input),
    ("output", "output", lambda usage, rates: usage.output * rates.output),
)
Calls = Sequence[Sequence[Usage]]


def prompts(played: Played) -> Html:
    """Return the tokens of each prompt, raw and with agentctx."""
    series = (
        Series("raw", "raw", _prompts(played.raw_calls)),
        Series("agentctx", "ours", _prompts(played.calls)),
    )
    title = "tokens of each prompt, raw and with agentctx"
    return join(legend(series), lines(title, series, figures.short, "call", figures.count))


def dollars_so_far(played: Played) -> Html:
    """Return the dollars spent up to each call, by kind, beside those without agentctx."""
    stack = [
        Series(s.name, s.ink, tuple(accumulate(s.values)))
        for s in parts(played.calls, _price(played))
    ]
    without = Series(
        "raw, all", "raw", tuple(accumulate(_totals(played.raw_calls, _price(played))))
    )
    drawn = areas("dollars spent so far", stack, without, figures.money, "call")
    return join(tag("h3", "So far"), legend([*stack, without]), drawn)


def per_call(played: Played) -> Html:
    """Return the dollars of each call, by kind, beside those without agentctx."""
    stack = parts(played.calls, _price(played))
    without = Series("raw, all", "raw", _totals(played.raw_calls, _price(played)))
    return join(
        tag("h3", "Each call"),
        legend([*stack, without]),
        bars("dollars of each call", stack, without, figures.money, "call"),
    )


def totals(played: Played) -> Html:
    """Return what each kind cost in all, raw and with agentctx."""
    rates = _price(played)
    both = {name: parts(calls, rates, every=True) for name, calls in
            (("raw", played.raw_calls), ("agentctx", played.calls))}  # fmt: skip
    most = max(sum(sum(s.values) for s in stack) for stack in both.values())
    rows = [
        row(name, _bar(name, stack, most), *(figures.dollars(sum(s.values)) for s in stack),
            figures.dollars(sum(sum(s.values) for s in stack)), words=2)
        for name, stack in both.items()
    ]  # fmt: skip
    columns = ("", "in all", *(name for name, _, _ in _PARTS), "sum")
    return table(columns, rows, "dollars by kind", words=2)


def parts(calls: Calls, rates: Price, *, every: bool = False) -> list[Series]:
    """Return the dollars of each kind for each call; kinds that cost nothing only if `every`."""
    series = [
        Series(name, ink, tuple(sum(rate(u, _tier(u, rates)) for u in call) for call in calls))
        for name, ink, rate in _PARTS
    ]
    return [one for one in series if every or any(one.values)]


def _bar(name: str, stack: Sequence[Series], most: float) -> Html:
    return share([(s.ink, sum(s.values)) for s in stack], most, f"dollars of {name} by kind")


def _price(played: Played) -> Price:
    return price(played.trajectory.model)


def _tier(usage: Usage, rates: Price) -> Price:
    if rates.beyond is not None and rates.above is not None and usage.prompt > rates.above:
        return rates.beyond
    return rates


def _prompts(calls: Calls) -> tuple[float, ...]:
    return tuple(float(call[-1].prompt) for call in calls)


def _totals(calls: Calls, rates: Price) -> tuple[float, ...]:
    return tuple(
        sum(column) for column in zip(*(s.values for s in parts(calls, rates)), strict=True)
    )
