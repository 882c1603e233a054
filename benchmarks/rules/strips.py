"""The strip step with hundreds of rules."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from agentctx.terminal.evidence import evidence
from agentctx.terminal.rules import pack
from agentctx.terminal.rules.book import Book
from agentctx.terminal.rules.rule import LONGEST, Rule
from agentctx.terminal.rules.strip import strip
from agentctx.terminal.screen import screen
from agentctx.values import Observation

RULES, ROUNDS = 300, 5
PREFIXES = (
    r"\[\d+:\d+:\d+\] ",
    r"\d+-\d+-\d+T\S+ ",
    r"[\w.-]+ +\| ",
    r"#\d+ \d+\.\d+ ",
    r"\[INFO\] ",
    r"\[\w+/\d+\] ",
    r"\S+ \w+\[\d+\]: ",
)
"""What loggers, compose, BuildKit, Maven, Celery and syslog put before other programs' lines."""


def figures(outputs: Sequence[Observation]) -> Iterator[dict[str, Any]]:
    """Yield the time of the strip step for a line, with so many rules."""
    many = _many(RULES)
    screens = [(each, screen(each.output)) for each in outputs]
    total = sum(len(lines) for _, lines in screens)
    book = Book(many)
    chosen = [book.chosen(each, len(lines)) for each, lines in screens]
    cases = {"those for the command apply": chosen, "all apply": [many] * len(screens)}
    for name, rules in cases.items():
        args = [
            (lines, [True] * len(lines), evidence(lines), some)
            for (_, lines), some in zip(screens, rules, strict=True)
        ]
        took = min(_strip_all(args) for _ in range(ROUNDS))
        yield {
            "case": f"strip, {len(many)} rules loaded, {name}",
            "lines": total,
            "us_per_line": round(took / total * 1e6, 2),
            "limit": 10,
        }


def _strip_all(outputs: Sequence[tuple[Any, ...]]) -> float:
    begin = time.thread_time()
    for each in outputs:
        strip(*each)
    return time.thread_time() - begin


def _many(count: int) -> tuple[Rule, ...]:
    """Return the shipped rules, and those for the same lines behind a prefix."""
    shipped = pack.shipped()
    variants = (_behind(prefix, rule, n) for n, prefix in enumerate(PREFIXES) for rule in shipped)
    return tuple(islice((rule for rule in (*shipped, *variants) if _fits(rule)), count))


def _behind(prefix: str, rule: Rule, number: int) -> Rule:
    patterns = tuple(f"^{prefix}{one.removeprefix('^')}" for one in rule.strip_patterns)
    return replace(rule, rule_id=f"{rule.rule_id}.{number}", strip_patterns=patterns, tests=())


def _fits(rule: Rule) -> bool:
    return all(len(pattern) <= LONGEST for pattern in rule.strip_patterns)
