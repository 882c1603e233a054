"""How the time of a reduction grows when hostile outputs double."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from agentctx.terminal.rules.book import Book
from agentctx.terminal.rules.rule import Rule, check
from agentctx.values import Observation
from benchmarks.rules.logs import seconds

SIZES, ROUNDS = (250_000, 500_000, 1_000_000), 5


@dataclass(frozen=True)
class Growth:
    """A hostile output of a size, and the pattern of a rule that reads it."""

    name: str
    pattern: str
    output: Callable[[int], str]


HOSTILE = (
    Growth("nested quantifiers", r"^(a+)+$", lambda n: "a" * n + "!\n"),
    Growth("alternatives that overlap", r"(a|aa|aaa)+b", lambda n: ("a" * 99 + "\n") * (n // 100)),
    Growth("counted repeats", r"(?:.*x){20}", lambda n: ("xy" * 60 + "\n") * (n // 121)),
    Growth("a state for each place", r"[ab]*a[ab]{12}c", lambda n: ("ab" * 50 + "\n") * (n // 101)),
    Growth(
        "lines that differ", r"never", lambda n: "".join(f"{i:x} step\n" for i in range(n // 11))
    ),
    Growth("lines that nearly repeat", r"x", lambda n: ("a\nb\n" * 20 + "c\n") * (n // 82)),
    Growth(
        "blocks that repeat",
        r"x",
        lambda n: "".join(map("line {}\n".format, range(40))) * (n // 310),
    ),
    Growth("blank lines", r"x", lambda n: "\n" * n),
    Growth("escape sequences", r"x", lambda n: "\x1b[2K\x1b[1A\x1b[31mx\r\n" * (n // 17)),
    Growth("one long line", r"x$", lambda n: "xy " * (n // 3)),
    Growth("nothing but evidence", r"error", lambda n: "error: x at a.py:3\n" * (n // 19)),
)


def figures() -> Iterator[dict[str, Any]]:
    """Yield how the time of hostile outputs grows when they double; linear is 2."""
    for case in HOSTILE:
        rule = Rule(
            rule_id="hostile",
            trigger_regex="^run",
            strip_patterns=(case.pattern,),
            keep_patterns=(case.pattern + "z",),
            keep_first_n=0,
            keep_last_n=0,
        )
        check(rule)
        took = [_hostile(case.output(size), rule) for size in SIZES]
        yield {
            "case": f"hostile: {case.name}",
            "ms": [round(each * 1000, 2) for each in took],
            "ratios": [round(b / a, 2) for a, b in pairwise(took)],
            "linear": 2,
        }


def _hostile(text: str, rule: Rule) -> float:
    observation = Observation(output=text, command="run", exit_code=0)
    book = Book([rule])
    return min(seconds(observation, book) for _ in range(ROUNDS))
