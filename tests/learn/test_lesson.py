from __future__ import annotations

from pathlib import Path

import pytest

from agentctx.errors import RuleError
from agentctx.learn.lesson import held_out, learn
from agentctx.learn.miner import mine
from agentctx.terminal.rules import pack, toml
from agentctx.terminal.rules.rule import Status
from agentctx.terminal.trial import faults
from tests.learn.outputs import history


def test_lines_that_come_again_and_again_are_proposed() -> None:
    [found] = mine(history())
    assert found.rule_id == "learnt.runchecks"
    assert found.strip_patterns == (r"^\S+ +\S+ +\.{2,} +ok\s*$",)
    assert found.status is Status.CANDIDATE
    assert found.provenance == "mined from 30 outputs of 30 tasks"


def test_what_is_proven_elsewhere_becomes_active_and_brings_its_proof(tmp_path: Path) -> None:
    [lesson] = learn(history())
    assert lesson.why == ""
    assert lesson.held_out.applied == sum(held_out(f"task-{n}") for n in range(30)) > 0
    assert list(faults(lesson.rule)) == []
    path = tmp_path / "learnt.toml"
    path.write_text(toml.write([lesson.rule]), encoding="utf-8")
    [again] = pack.load(path)
    assert (again.strip_patterns, again.tests) == (lesson.rule.strip_patterns, lesson.rule.tests)
    assert again.works


def test_what_was_used_is_not_proposed_or_does_not_pass() -> None:
    lessons = list(learn(history(["check_3 (suite.part3.Case) ... ok"])))
    assert all(lesson.why for lesson in lessons)


def test_what_is_known_already_is_not_learnt_again() -> None:
    [known] = [lesson.rule for lesson in learn(history())]
    assert [lesson.why for lesson in learn(history(), [known])] != [""]


def test_what_comes_on_a_few_tasks_only_is_not_proposed() -> None:
    assert list(mine(history()[:2])) == []


def test_secrets_are_out_of_what_proves_a_rule() -> None:
    [lesson] = learn(history(), redact=lambda text: text.replace("starting", "[secret]"))
    assert "starting" not in lesson.rule.tests[0].output


def test_a_value_of_any_text_survives_a_pack(tmp_path: Path) -> None:
    [rule] = mine(history())
    from dataclasses import replace

    odd = replace(rule, description='a "b" \\ \n\t\x7f é 漢 \u2028', status=Status.ACTIVE)
    path = tmp_path / "odd.toml"
    path.write_text(toml.write([odd]), encoding="utf-8")
    assert pack.load(path)[0].description == odd.description
    path.write_text(toml.write([replace(odd, rule_id="")]), encoding="utf-8")
    with pytest.raises(RuleError):
        pack.load(path)
