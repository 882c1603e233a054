"""Whether two rules do the same."""

from __future__ import annotations

from agentctx.terminal.rules.rule import Rule, Sample
from agentctx.terminal.trial import applied


def same(one: Rule, other: Rule) -> bool:
    """Tell whether two rules hide the same lines of all outputs that prove either of them."""
    samples = (*one.tests, *other.tests)
    return bool(samples) and all(_hides(one, s) == _hides(other, s) for s in samples)


def _hides(rule: Rule, sample: Sample) -> tuple[tuple[int, int], ...]:
    made = applied(rule, sample)
    return tuple((span.first, span.last) for span in made.spans if span.hidden)
