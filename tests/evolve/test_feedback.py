from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from agentctx.evolve.tree import changed
from agentctx.options import Rules
from agentctx.session import Session
from agentctx.terminal.rules import overlay
from agentctx.values import Observation
from tests.evolve.sessions import expand, session

TESTS = [f"tests/test_part.py::test_number_{i} PASSED [{i:3}%]" for i in range(60)]
FAILED = "tests/test_part.py::test_wrong FAILED [100%]"
PYTEST = "pytest -v"


def see(one: Session, seconds: int, command: str = PYTEST) -> str:
    lines = ["collected 61 items", *TESTS, FAILED, f"1 failed, 60 passed in {seconds}s"]
    return one.observe(Observation(output="\n".join(lines), command=command, exit_code=1)).text


@pytest.fixture
def one(tmp_path: Path) -> Session:
    return session(tmp_path, "work", Rules.ON)


def test_a_rule_is_not_used_where_somebody_came_back_for_what_it_hid(one: Session) -> None:
    first = see(one, 1)
    assert TESTS[7] not in first
    expand(one, first)
    one.observe(Observation(output="done", command="make"))
    assert TESTS[7] in see(one, 2)


def test_what_was_given_back_is_counted(one: Session) -> None:
    expand(one, see(one, 1), grep="number_7 ")
    [few] = one.stores.diary.complaints()
    assert few.lines == (TESTS[7],)
    assert 5 < few.released < 40


def test_lines_that_no_rule_hid_are_no_complaint(one: Session) -> None:
    expand(one, see(one, 1), lines="62-63")
    one.observe(Observation(output="done", command="make"))
    assert TESTS[7] not in see(one, 2)


def test_it_is_used_for_other_commands_still(one: Session) -> None:
    expand(one, see(one, 1))
    django = [f"test_{i} (admin.tests.Case) ... ok" for i in range(60)]
    lines = ["Found 60 tests", *django, "", "Ran 60 tests in 1s", "", "OK"]
    seen = Observation(output="\n".join(lines), command="python tests/runtests.py -v 2")
    assert django[7] not in one.observe(seen).text


def test_the_same_command_again_with_nothing_but_looks_between_shows_all(one: Session) -> None:
    see(one, 1)
    one.observe(Observation(output="import x", command="cat tests/test_part.py"))
    assert TESTS[7] in see(one, 2)


def test_a_look_into_the_file_that_has_the_output_is_a_complaint(one: Session) -> None:
    logged = f"{PYTEST} 2>&1 | tee out.log"
    assert TESTS[7] not in see(one, 1, logged)
    one.observe(Observation(output="x", command="python mend.py"))
    one.observe(Observation(output=TESTS[7], command="grep number_7 out.log"))
    assert [complaint.kind for complaint in one.stores.diary.complaints()] == ["log"]
    assert TESTS[7] in see(one, 2)


def test_a_look_into_another_file_is_none(one: Session) -> None:
    see(one, 1, f"{PYTEST} 2>&1 | tee out.log")
    one.observe(Observation(output="x", command="grep number_7 tests/test_part.py"))
    assert one.stores.diary.complaints() == ()


@pytest.mark.parametrize("between", ["sed -i s/a/b/ x.py", "python fix.py", ""])
def test_the_same_command_after_a_change_is_no_complaint(one: Session, between: str) -> None:
    see(one, 1)
    one.observe(Observation(output="", command=between, tool="" if between else "edit"))
    assert TESTS[7] not in see(one, 2)


def test_a_host_whose_model_asks_in_words_gets_the_original(one: Session) -> None:
    assert one.need_full_output() == ""
    see(one, 1)
    assert TESTS[7] in one.need_full_output()
    one.observe(Observation(output="done", command="make"))
    assert TESTS[7] in see(one, 2)


@pytest.mark.parametrize("rules", [Rules.FROZEN, Rules.OFF])
def test_rules_that_may_not_change_do_not(tmp_path: Path, rules: Rules) -> None:
    one = session(tmp_path, "work", rules)
    one.observe(Observation(output="\n".join(TESTS * 9), command="make check"))
    first = see(one, 1)
    if rules is Rules.FROZEN:
        expand(one, first)
    see(one, 2)
    assert not one.stores.overlay.exists()


def test_it_holds_for_sessions_after_this_one_for_a_day(tmp_path: Path, one: Session) -> None:
    expand(one, see(one, 1))
    assert TESTS[7] in see(session(tmp_path, "later", Rules.ON), 2)
    found = overlay.load(one.stores.overlay)
    [(pattern, until)] = found.not_for["pytest.passed"].items()
    assert time.time() + 80_000 < until < time.time() + 90_000
    rules = overlay.load(one.stores.overlay).over(one.stores.book.rules, until + 1)
    assert all(pattern not in rule.not_for[1:] for rule in rules)


def test_one_original_makes_one_complaint(one: Session) -> None:
    first = see(one, 1)
    for _ in range(3):
        expand(one, first)
    assert len(one.stores.diary.complaints()) == 1


def test_a_ledger_that_cannot_be_read_costs_the_answer_nothing(one: Session) -> None:
    first = see(one, 1)
    one.stores.overlay.parent.mkdir(exist_ok=True)
    one.stores.overlay.write_text("no overlay")
    assert TESTS[7] in expand(one, first)
    kinds = [event.kind for event in one.stores.events.recent]
    assert "feedback-failed" in kinds


def test_a_folder_was_changed_where_a_file_was(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").write_text("")
    for path in (tmp_path / "a" / "b.py", tmp_path / "a", tmp_path):
        os.utime(path, (100, 100))
    assert changed(tmp_path, 50, 150)
    assert not changed(tmp_path, 100, 150)
    assert not changed(tmp_path, 10, 100)
    (tmp_path / ".git").mkdir()
    (tmp_path / "__pycache__").mkdir()
    os.utime(tmp_path, (100, 100))
    assert not changed(tmp_path, time.time() - 60, time.time() + 60)
    assert changed(tmp_path / "gone", 0, 1)
