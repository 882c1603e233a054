"""From runs to results: sums, quantiles, intervals, curves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from agentctx.evals.bootstrap import intervals
from agentctx.evals.check import raw_check
from agentctx.evals.counts import Counts, Spend, ratio
from agentctx.evals.one import RAW
from agentctx.evals.quantile import quantile
from agentctx.evals.results import ArmRun, Curve, Example, Line, PolicyResult, Results, Run

EXAMPLES = 20
MISSES = 500
EQUAL = 1e-9
"""A run is cheaper than raw when it costs less by more than this share."""


def gather(
    runs: Sequence[Run], policies: Sequence[str], notes: Sequence[str], repaired: int, skipped: int
) -> Results:
    """Return the results of all runs for these policies, in this order."""
    return Results(
        policies=tuple(_policy(name, runs) for name in policies),
        runs=len(runs),
        observations=sum(run.arms[RAW].counts.observations for run in runs),
        models={run.source: run.model for run in runs},
        host_prompts={run.source: run.host_prompt for run in runs},
        repaired=repaired,
        skipped=skipped,
        notes=tuple(notes),
        raw_check=raw_check(runs),
    )


def _policy(name: str, runs: Sequence[Run]) -> PolicyResult:
    arms = [run.arms[name] for run in runs]
    lines = tuple(_line(run, name) for run in runs)
    spend = Spend.total(arm.spend for arm in arms)
    raw = Spend.total(run.arms[RAW].spend for run in runs)
    seconds = [s for arm in arms for s in arm.seconds]
    return PolicyResult(
        policy=name,
        counts=Counts.total(arm.counts for arm in arms),
        spend=spend,
        dollars_vs_raw=ratio(spend.dollars, raw.dollars),
        input_vs_raw=ratio(spend.prompt, raw.prompt),
        runs_cheaper=_cheaper(lines),
        worst_run=max((line.ratio for line in lines), default=1.0),
        intervals=intervals(_by_task(name, runs)),
        latency_p50=1e3 * quantile(seconds, 0.5),
        latency_p99=1e3 * quantile(seconds, 0.99),
        peak_memory=max((arm.memory for arm in arms), default=0),
        touched=sum(arm.touched for arm in arms),
        by_source=_by_source(name, runs),
        by_family=_by_family(arms),
        by_step=_by_step(arms),
        curve=tuple(_curve(name, runs)),
        lines=lines,
        examples=_examples(arms),
        misses=tuple(islice((miss for arm in arms for miss in arm.misses), MISSES)),
    )


def _line(run: Run, name: str) -> Line:
    ours, raw = run.arms[name].spend, run.arms[RAW].spend
    return Line(
        run=run.id,
        source=run.source,
        calls=ours.calls,
        prompt=ours.prompt,
        prompt_raw=raw.prompt,
        dollars=ours.dollars,
        dollars_raw=raw.dollars,
    )


def _cheaper(lines: Sequence[Line]) -> float:
    return ratio(sum(line.ratio < 1 - EQUAL for line in lines), len(lines))


def _by_task(name: str, runs: Sequence[Run]) -> list[Mapping[str, tuple[float, float]]]:
    tasks: defaultdict[str, list[Run]] = defaultdict(list)
    for run in runs:
        tasks[run.task].append(run)
    return [_pairs(name, group) for _, group in sorted(tasks.items())]


def _pairs(name: str, runs: Sequence[Run]) -> dict[str, tuple[float, float]]:
    counts = Counts.total(run.arms[name].counts for run in runs)
    spend = Spend.total(run.arms[name].spend for run in runs)
    raw = Spend.total(run.arms[RAW].spend for run in runs)
    return {
        "reduction": (counts.tokens_raw - counts.tokens_out, counts.tokens_raw),
        "evidence_recall": (counts.evidence_kept, counts.evidence),
        "future_use_recall": (counts.uses_kept, counts.uses),
        "dollars_vs_raw": (spend.dollars, raw.dollars),
        "input_vs_raw": (spend.prompt, raw.prompt),
    }


def _by_source(name: str, runs: Sequence[Run]) -> dict[str, Mapping[str, float]]:
    sources = sorted({run.source for run in runs})
    return {source: _summary(name, [r for r in runs if r.source == source]) for source in sources}


def _summary(name: str, runs: Sequence[Run]) -> dict[str, float]:
    counts = Counts.total(run.arms[name].counts for run in runs)
    lines = [_line(run, name) for run in runs]
    return {
        "runs": len(runs),
        "reduction": counts.reduction,
        "evidence_recall": counts.evidence_recall,
        "future_use_recall": counts.future_use_recall,
        "longer": counts.longer,
        "verbatim_violations": counts.verbatim,
        "lost": counts.lost,
        "dollars_vs_raw": ratio(
            sum(line.dollars for line in lines), sum(line.dollars_raw for line in lines)
        ),
        "input_vs_raw": ratio(
            sum(line.prompt for line in lines), sum(line.prompt_raw for line in lines)
        ),
        "runs_cheaper": _cheaper(lines),
        "worst_run": max(line.ratio for line in lines),
    }


def _by_family(arms: Iterable[ArmRun]) -> dict[str, Counts]:
    families: defaultdict[str, Counts] = defaultdict(Counts)
    for arm in arms:
        for name, counts in arm.families.items():
            families[name] += counts
    return dict(sorted(families.items(), key=lambda item: -item[1].tokens_raw))


def _by_step(arms: Iterable[ArmRun]) -> dict[str, int]:
    steps: defaultdict[str, int] = defaultdict(int)
    for arm in arms:
        for name, tokens in arm.steps.items():
            steps[name] += tokens
    return dict(sorted(steps.items(), key=lambda item: (-item[1], item[0])))


def _curve(name: str, runs: Sequence[Run]) -> Iterable[Curve]:
    longest = max((len(run.arms[RAW].points) for run in runs), default=0)
    for call in range(longest):
        pairs = [
            (run.arms[name].points[call], run.arms[RAW].points[call])
            for run in runs
            if call < len(run.arms[RAW].points)
        ]
        size = len(pairs)
        yield Curve(
            call=call,
            runs=size,
            prompt=sum(ours.prompt for ours, _ in pairs) / size,
            prompt_raw=sum(raw.prompt for _, raw in pairs) / size,
            dollars=sum(ours.dollars for ours, _ in pairs) / size,
            dollars_raw=sum(raw.dollars for _, raw in pairs) / size,
        )


def _examples(arms: Iterable[ArmRun]) -> tuple[Example, ...]:
    """Return the examples that saved most, at most three of a family."""
    examples = [example for arm in arms for example in arm.examples]
    examples.sort(key=lambda e: (e.tokens_after - e.tokens_before, e.run, e.number))
    taken: defaultdict[str, int] = defaultdict(int)
    chosen = []
    for example in examples:
        taken[example.family] += 1
        if taken[example.family] <= 3:
            chosen.append(example)
    return tuple(chosen[:EXAMPLES])
