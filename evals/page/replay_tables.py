"""The tables of a replay's report."""

from __future__ import annotations

from collections.abc import Iterator

from agentctx.evals import figures
from agentctx.evals.counts import Counts
from agentctx.evals.page.document import pill, row, table
from agentctx.evals.page.markup import Html, join, tag
from agentctx.evals.results import Miss, PolicyResult, Results

MISSES = 20
"""Misses named for each policy."""

_SMALL = {"raw", "host-cap", "mask", "random"}
"""Policies that break laws by design; their misses are counted, not named."""


def policies(results: Results) -> Html:
    """Return what each policy saves and keeps, with intervals."""
    columns = ("policy", "output tokens", "evidence recall", "future-use recall", "input", "dollars",
               "cheaper runs", "worst run")  # fmt: skip
    rows = (
        row(
            p.policy,
            _ranged(p, "reduction", figures.less(p.counts.reduction), sign="−"),
            _ranged(p, "evidence_recall", figures.recall(p.counts.evidence_kept, p.counts.evidence), 2),
            _ranged(p, "future_use_recall", figures.recall(p.counts.uses_kept, p.counts.uses), 2),
            _ranged(p, "input_vs_raw", figures.percent(p.input_vs_raw)),
            _ranged(p, "dollars_vs_raw", figures.percent(p.dollars_vs_raw)),
            figures.percent(p.runs_cheaper, 0), figures.percent(p.worst_run),
            class_="ours-row" if p.policy == "agentctx" else None,
        )
        for p in results.policies
    )  # fmt: skip
    return table(columns, rows, "policies")


def promises(results: Results) -> Html:
    """Return the counts that should be zero."""
    columns = ("policy", "outputs longer", "lines not verbatim", "lines lost", "dangling handles", "prefix moved",
               "messages changed in place")  # fmt: skip
    rows = (
        row(p.policy, *(pill(figures.count(n), good=not n) for n in _broken(p)))
        for p in results.policies
    )
    return table(columns, rows, "broken promises")


def price_table(results: Results) -> Html:
    """Return each policy's tokens by price."""
    columns = (
        "policy",
        "calls",
        "cache read",
        "cache write",
        "fresh",
        "output",
        "retrievals",
        "dollars",
    )
    rows = (
        row(p.policy, *map(figures.count, (p.spend.calls, p.spend.cache_read, p.spend.cache_write, p.spend.input,
            p.spend.output, p.spend.retrievals)), figures.dollars(p.spend.dollars))
        for p in results.policies
    )  # fmt: skip
    return table(columns, rows, "tokens by price")


def by_source(results: Results) -> Html:
    """Return the main figures of each policy on each source."""
    columns = ("source", "policy", "runs", "output tokens", "evidence recall", "future-use recall", "dollars",
               "cheaper runs", "worst run")  # fmt: skip
    sources = dict.fromkeys(source for p in results.policies for source in p.by_source)
    rows = (
        row(
            source, p.policy, figures.count(found["runs"]), figures.less(found['reduction']),
            _share(found["evidence_recall"]), _share(found["future_use_recall"]), figures.percent(found["dollars_vs_raw"]),
            figures.percent(found["runs_cheaper"], 0), figures.percent(found["worst_run"]), words=2,
        )
        for source in sources for p in results.policies if (found := p.by_source.get(source))
    )  # fmt: skip
    return table(columns, rows, "policies by source", words=2)


def by_family(results: Results) -> Html:
    """Return the reduction of each policy by kind of command."""
    first = results.policies[0]
    whole = max(1, first.counts.tokens_raw)
    rows = (
        row(name, figures.count(counts.observations), figures.percent(counts.tokens_raw / whole, 0), *(
            figures.less(p.by_family.get(name, Counts()).reduction) for p in results.policies))
        for name, counts in first.by_family.items() if counts.tokens_raw
    )  # fmt: skip
    columns = ("kind of command", "outputs", "of all tokens", *(p.policy for p in results.policies))
    return table(columns, rows, "reduction by kind of command")


def latency(results: Results) -> Html:
    """Return times and memory of each policy."""
    rows = (
        row(
            p.policy,
            f"{p.latency_p50:.2f} ms",
            f"{p.latency_p99:.1f} ms",
            f"{p.peak_memory / 2**20:,.0f} MiB",
        )
        for p in results.policies
    )
    return table(("policy", "median", "99 of 100 within", "memory"), rows, "time and memory")


def misses(results: Results) -> Html:
    """Return the misses of policies that should have none, by name."""
    found = [(p, m) for p in results.policies if p.policy not in _SMALL for m in p.misses[:MISSES]]
    counted = tag("p", "; ".join(_missed(p) for p in results.policies), class_="note")
    if not found:
        return join(counted, tag("p", "None of the policies that should have none has any."))
    rows = (_miss(policy, miss) for policy, miss in found)
    return join(
        counted, table(("policy", "what", "run", "command", "text"), rows, "misses", words=5)
    )


def raw_check(results: Results) -> Html | None:
    """Return how true the simulation is where the provider's usage was recorded."""
    check = results.raw_check
    if check is None:
        return None
    facts = (
        ("input tokens", f"{check.calls:,} calls: {_signed(check.error)} against the provider's record, each call predicted "
                         f"with what earlier calls taught (uncalibrated {_signed(check.error_uncalibrated)})"),
        ("each half by the other", f"{_signed(check.halves[0])} and {_signed(check.halves[1])}"),
        ("single runs", f"95 of 100 within {figures.percent(check.run_p95, 2)}, the worst {figures.percent(check.run_worst, 2)}"),
        ("read from the cache", f"{figures.percent(check.cached_simulated)} simulated, "
                                f"{figures.percent(check.cached_recorded)} recorded"),
        ("dollars", f"{figures.dollars(check.dollars_simulated)} simulated, {figures.dollars(check.dollars_recorded)} recorded"),
    )  # fmt: skip
    rows = (row(name, text, words=2) for name, text in facts)
    return join(
        tag("h3", "The raw policy against what the provider recorded"),
        table(("", ""), rows, "raw check", words=2),
    )


def _ranged(policy: PolicyResult, name: str, value: str, digits: int = 1, sign: str = "") -> Html:
    found = policy.intervals.get(name)
    if not found or found.low == found.high:
        return tag("span", value)
    low, high = (f"{100 * edge:.{digits}f}" for edge in (found.low, found.high))
    return tag("span", value, tag("small", f"{sign}{low} to {sign}{high}"))


def _broken(policy: PolicyResult) -> tuple[int, ...]:
    counts = policy.counts
    return (
        counts.longer,
        counts.verbatim,
        counts.lost,
        counts.dangling,
        policy.spend.moved,
        policy.touched,
    )


def _share(value: float) -> str:
    return "100 %" if value == 1 else figures.percent(min(value, 0.9999), 2)


def _signed(value: float) -> str:
    return f"{100 * value:+.2f} %".replace("-", "−")


def _missed(policy: PolicyResult) -> str:
    counts = policy.counts
    gone = (counts.evidence - counts.evidence_kept, counts.uses - counts.uses_kept, counts.verbatim)
    return f"{policy.policy}: {gone[0]:,} evidence lines, {gone[1]:,} strings used later, {gone[2]:,} not verbatim"


def _miss(policy: PolicyResult, miss: Miss) -> Html:
    return row(policy.policy, miss.kind, miss.run, *_clipped(miss.command, miss.text), words=5)


def _clipped(*texts: str) -> Iterator[Html]:
    return (tag("span", text.strip()[:300], class_="clip", title=text[:1000]) for text in texts)
