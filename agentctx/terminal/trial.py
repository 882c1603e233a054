"""Whether a rule does to real outputs what its tests say, and harms nothing."""

from __future__ import annotations

from collections.abc import Iterator

from agentctx.terminal import marker
from agentctx.terminal.evidence import evidence
from agentctx.terminal.reduce import Limits, reduce
from agentctx.terminal.rules.book import Book
from agentctx.terminal.rules.rule import Rule, Sample
from agentctx.terminal.screen import screen
from agentctx.terminal.window import Window
from agentctx.tokens import estimate
from agentctx.values import Observation, Reduction

_HANDLE = "000000"


def applied(rule: Rule, sample: Sample) -> Reduction:
    """Return what the model sees of an output when this rule is the only one."""
    seen = Observation(output=sample.output, command=sample.command, exit_code=sample.exit_code)
    return alone(seen, Book([rule]))


def alone(seen: Observation, book: Book) -> Reduction:
    """Return what the model sees of an output with the rules of a book, and nothing else in view."""
    return reduce(
        seen,
        window=Window(),
        handle=_HANDLE,
        way=f"expand {_HANDLE}",
        count=estimate,
        limits=Limits(),
        chosen=book.chosen,
    )


def faults(rule: Rule) -> Iterator[str]:
    """Yield what the tests of a rule find wrong with it, a line each; their outputs are read."""
    if not rule.tests:
        yield "has no test: add [[rule.tests]] with a real output"
    for sample in rule.tests:
        yield from (f"{sample.command[:60]!r}: {fault}" for fault in _faults(rule, sample))


def _faults(rule: Rule, sample: Sample) -> Iterator[str]:
    made = applied(rule, sample)
    lines = screen(sample.output)
    there, left = {line.text for line in lines}, set(made.text.split("\n"))
    yield from (f"{t[:60]!r} is no line of it" for t in {*sample.shown, *sample.hidden} - there)
    yield from (f"{text[:60]!r} went" for text in sorted(set(sample.shown) - left))
    yield from (f"{text[:60]!r} stayed" for text in sorted(set(sample.hidden) & left))
    if sample.hidden and rule.rule_id not in made.rules:
        yield "the rule did not apply"
    kept = (line.text for line, keep in zip(lines, evidence(lines), strict=True) if keep)
    yield from (f"evidence went: {text[:60]!r}" for text in kept if text not in left)
    strange = (text for text in left - there if not marker.is_marker(text))
    yield from (f"{text[:60]!r} is no line of it and no marker" for text in strange)
