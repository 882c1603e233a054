"""The sample by which a learnt rule proves itself: a short real output, what goes and what stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from agentctx.learn.gate import Trial
from agentctx.terminal import marker
from agentctx.terminal.rules.rule import Rule, Sample
from agentctx.terminal.trial import applied, faults

LONGEST = 6_000
"""Characters of an output that goes into a pack."""

_SHOWN = 3


def proven(rule: Rule, trials: Sequence[Trial], redact: Callable[[str], str]) -> Rule:
    """Return a rule with the shortest output that shows what it does, if there is a short one."""
    short = (t.case for t in trials if len(t.case.observation.output) <= LONGEST)
    for case in sorted(short, key=lambda case: len(case.observation.output)):
        seen = case.observation
        sample = Sample(
            command=redact(seen.command),
            output=redact(seen.output),
            exit_code=seen.exit_code,
            source=f"a recorded run of {case.task}" if case.task else "a recorded run",
        )
        made = applied(rule, sample)
        if rule.rule_id not in made.rules:
            continue
        left = [line for line in made.text.split("\n") if line.strip()]
        gone = [line for line in sample.output.split("\n") if line.strip() and line not in left]
        stays = [line for line in left if not marker.is_marker(line)]
        sample = replace(sample, shown=tuple(stays[-_SHOWN:]), hidden=tuple(gone[:_SHOWN]))
        proof = replace(rule, tests=(sample,))
        if not list(faults(proof)):
            return proof
    return rule
