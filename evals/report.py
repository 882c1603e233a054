"""Results as JSON values and as a table in plain text."""

from __future__ import annotations

from dataclasses import asdict
from io import StringIO

from rich.console import Console
from rich.table import Table

from agentctx.evals.counts import Counts
from agentctx.evals.results import PolicyResult, Results

WIDTH = 150


def as_json(results: Results) -> dict[str, object]:
    """Return the report as JSON values; text of examples is left out."""
    return {
        "policies": [_policy(policy) for policy in results.policies],
        "runs": results.runs,
        "observations": results.observations,
        "models": dict(results.models),
        "assumed_host_prompt": dict(results.host_prompts),
        "repaired": results.repaired,
        "skipped": results.skipped,
        "notes": list(results.notes),
        "raw_check": asdict(results.raw_check) if results.raw_check else None,
    }


def as_text(results: Results) -> str:
    """Return the report as tables of at most 150 columns."""
    out = StringIO()
    console = Console(file=out, width=WIDTH, no_color=True, highlight=False)
    console.print(_table(results))
    console.print(_families(results))
    for line in _remarks(results):
        console.print(line, markup=False)
    return out.getvalue()


def _policy(policy: PolicyResult) -> dict[str, object]:
    counts, spend = policy.counts, policy.spend
    return {
        "policy": policy.policy,
        "reduction": counts.reduction,
        "evidence_recall": counts.evidence_recall,
        "future_use_recall": counts.future_use_recall,
        "longer": counts.longer,
        "verbatim_violations": counts.verbatim,
        "lost": counts.lost,
        "dangling_handles": counts.dangling,
        "prefix_moves": spend.moved,
        "host_messages_touched": policy.touched,
        "dollars_vs_raw": policy.dollars_vs_raw,
        "input_vs_raw": policy.input_vs_raw,
        "runs_cheaper": policy.runs_cheaper,
        "worst_run": policy.worst_run,
        "retrievals": spend.retrievals,
        "intervals": {name: [i.low, i.high] for name, i in policy.intervals.items()},
        "latency_ms": {"p50": policy.latency_p50, "p99": policy.latency_p99},
        "peak_memory": policy.peak_memory,
        "tokens": {
            "observations_raw": counts.tokens_raw,
            "observations_sent": counts.tokens_out,
            "prompt": spend.prompt,
            "fresh": spend.input,
            "cache_read": spend.cache_read,
            "cache_write": spend.cache_write,
            "output": spend.output,
        },
        "dollars": spend.dollars,
        "by_source": {source: dict(row) for source, row in policy.by_source.items()},
        "by_family": {name: _family(counts) for name, counts in policy.by_family.items()},
        "by_step": dict(policy.by_step),
        "misses": [asdict(miss) for miss in policy.misses],
        "per_run": [{**asdict(line), "ratio": line.ratio} for line in policy.lines],
    }


def _family(counts: Counts) -> dict[str, object]:
    return {
        **asdict(counts),
        "reduction": counts.reduction,
        "evidence_recall": counts.evidence_recall,
        "future_use_recall": counts.future_use_recall,
    }


_COLUMNS = (
    "policy",
    "reduction",
    "evidence",
    "future use",
    "longer",
    "not verbatim",
    "lost",
    "prefix moved",
    "input",
    "dollars",
    "cheaper runs",
    "worst run",
    "p50 / p99 ms",
    "MiB",
)


def _table(results: Results) -> Table:
    table = Table(title=f"{results.runs} runs, {results.observations} observations")
    for column in _COLUMNS:
        table.add_column(column, justify="left" if column == "policy" else "right")
    for policy in results.policies:
        table.add_row(*_row(policy))
    return table


def _row(policy: PolicyResult) -> tuple[str, ...]:
    counts, spend = policy.counts, policy.spend
    return (
        policy.policy,
        f"{counts.reduction:.1%}",
        f"{counts.evidence_recall:.4f}",
        f"{counts.future_use_recall:.4f}",
        str(counts.longer),
        str(counts.verbatim),
        str(counts.lost),
        str(spend.moved),
        f"{policy.input_vs_raw:.3f}",
        f"{policy.dollars_vs_raw:.3f}",
        f"{policy.runs_cheaper:.0%}",
        f"{policy.worst_run:.3f}",
        f"{policy.latency_p50:.1f} / {policy.latency_p99:.1f}",
        f"{policy.peak_memory / 2**20:.0f}",
    )


def _families(results: Results) -> Table:
    """Return the reduction of each policy by kind of command."""
    table = Table(title="reduction by kind of command")
    table.add_column("kind")
    table.add_column("share of tokens", justify="right")
    for policy in results.policies:
        table.add_column(policy.policy, justify="right")
    first = results.policies[0]
    for name, counts in first.by_family.items():
        rows = [p.by_family.get(name, Counts()).reduction for p in results.policies]
        share = counts.tokens_raw / max(1, first.counts.tokens_raw)
        table.add_row(name, f"{share:.1%}", *(f"{row:.1%}" for row in rows))
    return table


def _remarks(results: Results) -> list[str]:
    remarks = list(results.notes)
    remarks += [
        f"{source}: no system prompt was recorded; {tokens} tokens stand in for it in every arm"
        for source, tokens in results.host_prompts.items()
        if tokens
    ]
    if check := results.raw_check:
        remarks.append(
            f"raw arm: {check.error:+.2%} input tokens against the provider's record of "
            f"{check.calls} calls (uncalibrated {check.error_uncalibrated:+.2%}, halves "
            f"{check.halves[0]:+.2%} / {check.halves[1]:+.2%}, runs p95 {check.run_p95:.2%}, "
            f"worst {check.run_worst:.2%})"
        )
        remarks.append(
            f"cache: {check.cached_simulated:.1%} read in the simulation, "
            f"{check.cached_recorded:.1%} recorded; ${check.dollars_simulated:.2f} simulated, "
            f"${check.dollars_recorded:.2f} recorded"
        )
    return remarks
