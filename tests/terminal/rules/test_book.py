from __future__ import annotations

import pytest

from agentctx.terminal.rules.book import Book
from agentctx.values import Observation
from tests.terminal.rules.outputs import LOG, rule

PYTEST = rule()
MAKE = rule(rule_id="made", trigger_regex=r"^make\b", strip_patterns=("^cc ",), priority=30)


def chosen(command: str, *rules: object, **observed: object) -> list[str]:
    observation = Observation(**{"output": LOG, "command": command, **observed})  # type: ignore[arg-type]
    book = Book(rules or (PYTEST, MAKE))  # type: ignore[arg-type]
    return [one.rule_id for one in book.chosen(observation, LOG.count("\n") + 1)]


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "cd src && pytest",
        "cd src; FOO=1 timeout 60 pytest tests | tail -50",
        "pytest 2>&1 | tee log.txt | tail -n 20",
        "PYTEST -q",
        "time pytest",
        "uv run pytest -x",
        "poetry run pytest",
        "bash -c 'cd x && pytest'",
        "source venv/bin/activate && pytest || true",
        "(cd x && pytest)",
        "pytest -k 'a and b' >&2",
        "pytest <<'EOF'\ncat x\nEOF",
    ],
)
def test_a_rule_is_for_every_way_to_run_its_command(command: str) -> None:
    assert chosen(command) == ["passed"]


@pytest.mark.parametrize(
    "command",
    [
        "",
        "echo pytest",
        "cat pytest.log",
        "pytest | grep PASSED",
        "pytest | sort | uniq -c",
        "pytest; cat log.txt",
        "cat log.txt; pytest",
        "./pytest-wrapper",
        "pytest 'unclosed",
        "git diff && pytest",
        "bash run_pytest.sh",
    ],
)
def test_where_something_else_may_stand_among_the_lines_there_is_no_rule(command: str) -> None:
    assert chosen(command) == []


def test_rules_of_all_commands_apply_in_the_order_of_their_priority() -> None:
    assert chosen("pytest; make") == ["made", "passed"]


@pytest.mark.parametrize(
    ("given", "observed", "applies"),
    [
        ({"exit_codes": (0,)}, {"exit_code": 1}, False),
        ({"exit_codes": (0,)}, {"exit_code": 0}, True),
        ({"exit_codes": (0,)}, {"exit_code": None}, False),
        ({"exit_codes": (0, 1)}, {"exit_code": 1}, True),
        ({"output_match": r"\d+ passed"}, {}, True),
        ({"output_match": r"no such text"}, {}, False),
        ({"min_lines": 64}, {}, False),
        ({"min_lines": 63}, {}, True),
        ({"keep_first_n": 40, "keep_last_n": 40}, {}, False),
        ({"status": "shadow"}, {}, False),
    ],
)
def test_a_rule_asks_for_more_than_a_command(
    given: dict[str, object], observed: dict[str, object], applies: bool
) -> None:
    assert chosen("pytest", rule(**given), **observed) == (["passed"] if applies else [])


def test_bytes_that_are_no_text_are_no_obstacle_to_any_pattern() -> None:
    one = rule(output_match="FAILED", not_for=("--quiet",))
    assert chosen("pytest caf\udce9", one, output=f"caf\udce9\n{LOG}") == ["passed"]
    assert chosen("pytest --quiet caf\udce9", one) == []


def test_a_book_without_rules_chooses_none() -> None:
    assert Book(()).chosen(Observation(output=LOG, command="pytest"), 63) == ()
