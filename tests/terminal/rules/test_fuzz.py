"""Rules and outputs that nobody would write: nothing crashes, nothing is lost, nothing is invented.

Half a million of each in the long profile, from one seed; `-s` shows how many and what became of them.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentctx.errors import RuleError
from agentctx.terminal import marker
from agentctx.terminal.evidence import evidence
from agentctx.terminal.reduce import Limits, reduce
from agentctx.terminal.rules import pack, taco
from agentctx.terminal.rules.book import Book
from agentctx.terminal.rules.fields import RULE
from agentctx.terminal.rules.rule import Rule
from agentctx.terminal.rules.table import rule_of, table_of
from agentctx.terminal.screen import screen
from agentctx.terminal.window import Window
from agentctx.tokens import estimate
from agentctx.values import Observation

_LONG = [pytest.param(part, 250_000, marks=pytest.mark.long) for part in (1, 2)]
parts = pytest.mark.parametrize(("part", "inputs"), [(0, 750), *_LONG])

PIECES = [
    *(
        "^",
        "$",
        ".",
        ".*",
        "ok",
        "PASSED",
        r"\d+",
        r"\S+",
        "(",
        ")",
        "(?:",
        "|",
        "[a-z]",
        "[",
        "{2,}",
    ),
    *(
        "(?=x)",
        r"\1",
        r"\b",
        "(?i)",
        "é",
        "\0",
        "\\",
        "*",
        "+",
        "?",
        "error",
        "warning",
        " ",
        "{1000}",
    ),
]
LINES = [
    *(
        "test_{n} PASSED [ {n}%]",
        "ok {n} - passes",
        "error: {n} is not there",
        "src/a.py:{n}: warning",
    ),
    *(
        "\x1b[32mok\x1b[0m {n}",
        "{n}%|███| {n}/9\r",
        "\x1b[A\x1b[2K{n}",
        "",
        " ",
        "\t{n}\t",
        "日本語 {n}",
    ),
    *(
        "\x1b[",
        "\x07\x08\x7f",
        "\ud800",
        "x" * 300,
        "Traceback (most recent call last):",
        "{n} failed",
    ),
    *("[agentctx: 3 of 9 lines hidden (x) · lines 2-4 · expand abcdef]", "FAILED a::{n}", "...."),
]
COMMANDS = [
    "make",
    "pytest -v",
    "cd x && npm test | tail -5",
    "a; b",
    "make 2>&1 | grep x",
    "'",
    "",
    "$(x",
]
JSON = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    '"rule_id"',
    '"a"',
    "null",
    "1e999",
    "-1",
    '"\\ud800"',
    "NaN",
    "true",
]


@parts
def test_no_pack_and_no_pool_breaks_what_loads_it(part: int, inputs: int, tmp_path: Path) -> None:
    dice, became = random.Random(part), Counter[str]()
    path = tmp_path / "a.toml"
    for _ in range(inputs):
        kind, text = made(dice)
        try:
            if kind == "toml":
                path.write_text(text, encoding="utf-8", errors="surrogatepass")
                rules = pack.load(path)
            else:
                rules = taco.loads(text, lambda error: became.update(["refused"]))
            became[f"{kind}, {min(len(rules), 2)} rules"] += 1
            for rule in rules:
                assert rule_of(table_of(rule)) == rule
        except RuleError as error:
            became[f"{kind}, refused in {len(str(error).splitlines())} line"] += 1
    sys.stdout.write(f"{inputs:,} packs and pools: {dict(became)}\n")
    assert len(became) > 4
    assert {name for name in became if "refused in" in name} == {
        "toml, refused in 1 line",
        "json, refused in 1 line",
    }


@parts
def test_no_rule_and_no_output_breaks_a_reduction(part: int, inputs: int) -> None:
    dice, became = random.Random(100 + part), Counter[str]()
    for _ in range(inputs):
        rules = tuple(rules_of(dice))
        seen = Observation(
            output=output(dice),
            command=dice.choice([*COMMANDS, *["make", "pytest -v"] * 4]),
            exit_code=dice.choice([None, 0, 1]),
        )
        became[check(seen, Book(rules))] += 1
    sys.stdout.write(f"{inputs:,} outputs: {dict(became)}\n")
    assert set(became) == {"as it came", "reduced", "by a rule"}


def check(seen: Observation, book: Book) -> str:
    """See that the laws hold for one reduction, and return what it was."""
    made = reduce(
        seen,
        window=Window(),
        handle="000000",
        way="expand 000000",
        count=estimate,
        limits=Limits(smallest=20, saving=8),
        chosen=book.chosen,
    )
    if not made.handle:
        assert made.text == seen.output
        return "as it came"
    lines = screen(seen.output)
    there = Counter(line.text for line in lines)
    left = made.text.split("\n")
    assert made.tokens_after < made.tokens_before
    assert len(left) == len(made.spans)
    for line, span in zip(left, made.spans, strict=True):
        assert span.hidden or there[line] > 0
        assert not span.hidden or marker.is_marker(line)
    kept = Counter(t.text for t, keep in zip(lines, evidence(lines), strict=True) if keep)
    rules = {rule.rule_id for rule in book.rules} & set(made.rules)
    if rules and set(made.rules) <= rules:  # repeats and frames show evidence once
        assert not kept - Counter(left)
    return "by a rule" if rules else "reduced"


def rules_of(dice: random.Random) -> Iterator[Rule]:
    """Yield some rules that can be used, out of pieces of patterns."""
    for number in range(dice.randrange(6)):
        table = {
            "rule_id": f"r{number}",
            "trigger_regex": dice.choice(["make|pytest", "make", "npm", "^.", "a"]),
            "strip_patterns": [pattern(dice) for _ in range(dice.randrange(1, 4))],
            "keep_patterns": [pattern(dice) for _ in range(dice.randrange(2))],
            "keep_first_n": dice.choice([0, 1, 5]),
            "keep_last_n": dice.choice([0, 0, 2, 9]),
            **({"max_lines": dice.randrange(9)} if dice.random() < 0.1 else {}),
        }
        try:
            yield rule_of(table)
        except RuleError:
            continue


def pattern(dice: random.Random) -> str:
    """Return a pattern for the lines of outputs, or any pieces."""
    if dice.random() < 0.8:
        return dice.choice(
            [r"^test_\w+ PASSED", "^ok ", r"^\w+%", "^日本語", "^src/", "^x+$", "error"]
        )
    return "".join(dice.choices(PIECES, k=dice.randrange(1, 6)))


def output(dice: random.Random) -> str:
    """Return an output that repeats itself here and there."""
    lines = []
    for text in dice.choices(LINES, k=dice.randrange(1, 8)):
        for _ in range(dice.choice([1, 2, 30, 30])):
            lines.append(text.replace("{n}", name(dice)))
    return dice.choice(["\n"] * 8 + ["\r\n", "\r"]).join(lines)


def name(dice: random.Random) -> str:
    return "".join(dice.choices("abcdefghij0123456789", k=dice.randrange(1, 9)))


def made(dice: random.Random) -> tuple[str, str]:
    """Return a pack or a pool, broken in some places or in none."""
    if dice.random() < 0.5:
        fields = [
            f"{dice.choice([*RULE, 'tests', 'x'])} = {value(dice)}"
            for _ in range(dice.randrange(6))
        ]
        good = [
            "[[rule]]",
            f'rule_id = "r{dice.randrange(3)}"',
            'trigger_regex = "make"',
            'strip_patterns = ["ok"]',
        ]
        return "toml", broken(
            "\n".join([*good, *fields, *(good if dice.random() < 0.2 else [])]), dice
        )
    rule = {"rule_id": "a", "trigger_regex": "make", "strip_patterns": [pattern(dice)]}
    rule[dice.choice(list(RULE))] = dice.choice(
        [None, 1, -1, 2**70, 0.5, "x", ["x"], [1], {}, True]
    )
    text = json.dumps({"general": [rule] * dice.randrange(1, 3)})
    if dice.random() < 0.3:
        text = "".join(dice.choices(JSON, k=dice.randrange(20)))
    return "json", broken(text, dice)


def value(dice: random.Random) -> str:
    return dice.choice(
        [
            "1",
            "-1",
            "true",
            '"x"',
            '["x"]',
            "[1]",
            "1e9",
            "0.5",
            "[[rule]]",
            "{}",
            json.dumps([pattern(dice)]),
        ]
    )


def broken(text: str, dice: random.Random) -> str:
    """Return a text with some characters changed, half of the time."""
    letters = list(text)
    for _ in range(dice.choice([0, 0, 1, 4])):
        if letters:
            letters[dice.randrange(len(letters))] = dice.choice('"[]{}=\\\n\0é\ud800#,')
    return "".join(letters)
