"""The sample by which a learnt rule proves itself: a short real output, what goes and what stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from agentctx.learn.gate import Trial
from agentctx.terminal import marker
from agentctx.terminal.rules.rule import Rule, Sample
from agentctx.terminal.trial import faults

LONGEST = 6_000
"""Characters of an output that goes into a pack."""

_SHOWN = 3


def proven(rule: Rule, trials: Sequence[Trial], redact: Callable[[str], str]) -> Rule:
    """Return a rule with the shortest output that shows what it does, if there is a short one."""
    found = sorted(trials, key=lambda trial: len(trial.case.observation.output))
    for trial in found:
        seen = trial.case.observation
        after = trial.after(rule)
        if after is None or after.text == trial.before.text or len(seen.output) > LONGEST:
            continue
        text = redact(seen.output)
        left = after.text.split("\n")
        gone = [line for line in trial.before.text.split("\n") if line.strip() and line not in left]
        stays = [line for line in left if line.strip() and not marker.is_marker(line)]
        sample = Sample(
            command=redact(seen.command),
            output=text,
            exit_code=seen.exit_code,
            shown=tuple(stays[-_SHOWN:]),
            hidden=tuple(gone[:_SHOWN]),
            source=f"a recorded run of {trial.case.task}" if trial.case.task else "a recorded run",
        )
        with_sample = replace(rule, tests=(sample,))
        if not list(faults(with_sample)):
            return with_sample
    return rule
