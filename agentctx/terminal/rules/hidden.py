"""What a rule hid of an output, told from the spans that are stored with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from agentctx.terminal.rules.rule import Rule
from agentctx.values import Span


def hidden_by(rule: Rule, applied: Collection[str], spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans of which a rule hid lines; a marker that it shares counts as its own.

    Args:
        rule: the rule.
        applied: the ids of what was done to the output.
        spans: those of the output.
    """
    if rule.rule_id in applied:
        yield from (span for span in spans if rule.reason in span.hidden.split(", "))
