from __future__ import annotations

import pytest

from agentctx.evals.score import Use, evidence, reports, specific, uses
from tests.evals.runs import trajectory


@pytest.mark.parametrize(
    "line",
    [
        "Traceback (most recent call last):",
        '  File "/repo/a.py", line 3, in f',
        "E       assert 1 == 2",
        "FAILED tests/test_a.py::test_b - ValueError",
        "ValueError: bad",
        "django.db.utils.OperationalError: no such table",
        "=========== 1 failed, 3 passed in 0.1s ===========",
        "Ran 12 tests in 0.001s",
        "OK (skipped=3)",
        "fatal: not a git repository",
        "main.c:3:5: error: expected ';'",
        "bash: foo: command not found",
    ],
)
def test_error_failure_and_summary_lines_are_evidence(line: str) -> None:
    assert reports(line)


@pytest.mark.parametrize(
    "line",
    [
        "tests/test_errors.py::test_error PASSED [ 3%]",
        "test_error (errors.tests.Errors.test_error) ... ok",
        "collected 12 items",
        "Creating test database for alias 'default'...",
        "",
    ],
)
def test_passing_lines_are_not(line: str) -> None:
    assert not reports(line)


def test_evidence_is_distinct_and_of_executions_only() -> None:
    output = "ValueError: bad\n\x1b[31mValueError: bad\x1b[0m\nplain\n"
    ran, read = trajectory(("python a.py", output), ("cat log", output)).turns
    assert evidence(ran) == ("ValueError: bad",)
    assert evidence(read) == ()


def test_specific_strings_are_paths_names_numbers_and_hashes() -> None:
    text = "sed -n 5p src/a/b.py; CamelCase foo_bar a.b.c.d 12345 123 abc deadbeef1 word"
    assert list(specific(text)) == [
        "src/a/b.py",
        "CamelCase",
        "foo_bar",
        "a.b.c.d",
        "12345",
        "deadbeef1",
    ]


def test_a_use_counts_only_if_the_observation_brought_the_string_in() -> None:
    run = trajectory(
        ("ls", "src/found_here.py\nsrc/known_name.py\n"),
        ("cat src/found_here.py", "x"),
        ("grep src/own_idea.py", "y"),
        native=True,
    )
    assert list(uses(run)) == [Use(0, 1, "src/found_here.py")]


def test_a_string_that_was_in_an_earlier_command_does_not_count() -> None:
    run = trajectory(("grep my_name .", "my_name is here\n"), ("cat my_name", "z"))
    assert list(uses(run)) == []


@pytest.mark.parametrize(("between", "counted"), [(4, 1), (5, 0)])
def test_only_the_next_five_actions_count(between: int, counted: int) -> None:
    steps = [("ls", "late_used_name\n"), *[("true", "")] * between, ("cat late_used_name", "")]
    assert len(list(uses(trajectory(*steps)))) == counted
