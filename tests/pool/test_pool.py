from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from agentctx import db
from agentctx.errors import LedgerError, PoolError
from agentctx.pool import Entry, Outcome, Pool, opened
from agentctx.terminal.rules.rule import Rule, Sample, Status
from tests.processes import posix, run

SAMPLE = Sample(
    command="runchecks",
    output="\n".join(["starting", *(f"check {i} of the suite is fine" for i in range(40)), "end"]),
    hidden=("check 3 of the suite is fine",),
    shown=("end",),
)
RULE = Rule(
    rule_id="checks",
    trigger_regex="^runchecks",
    strip_patterns=(r"^check \d+ of the suite is fine$",),
    keep_first_n=1,
    keep_last_n=1,
    tests=(SAMPLE,),
)
ENTRY = Entry(rule=RULE, scope="runchecks", evidence={"saved": 500, "applied": 9})


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "pool.db")
    return str(request.getfixturevalue("database"))


@pytest.fixture
def pool(where: str) -> Iterator[Pool]:
    with opened(where) as pool:
        yield pool


def test_a_rule_comes_back_as_it_was_put_in(pool: Pool) -> None:
    assert pool.add(ENTRY, "proven") == "checks"
    found = pool.get("checks")
    assert found is not None
    assert found.rule == RULE
    assert (found.scope, found.evidence, found.parent) == ("runchecks", ENTRY.evidence, "")
    assert [(c.status, c.why) for c in pool.history("checks")] == [(Status.ACTIVE, "proven")]


def test_any_text_survives(pool: Pool) -> None:
    odd = replace(RULE, description="\0 é \ud800 ' \" \\ 日本", provenance="\x7f\n")
    pool.add(Entry(rule=odd))
    found = pool.get("checks")
    assert found is not None
    assert found.rule == odd


def test_a_rule_that_does_the_same_is_merged(pool: Pool) -> None:
    pool.add(replace(ENTRY, rule=replace(RULE, status=Status.SHADOW)))
    twin = replace(RULE, rule_id="other", strip_patterns=(r"^check .* is fine$",))
    assert pool.add(replace(ENTRY, rule=twin), "proven") == "checks"
    [entry] = pool.entries()
    assert entry.rule.status is Status.ACTIVE


def test_a_rule_that_does_something_else_is_not_merged(pool: Pool) -> None:
    pool.add(ENTRY)
    pool.add(replace(ENTRY, rule=replace(RULE, rule_id="other", keep_patterns=("check 7 ",))))
    pool.add(replace(ENTRY, rule=replace(RULE, rule_id="third"), scope="elsewhere"))
    assert len(pool.entries()) == 3


def test_what_does_the_same_as_a_retired_rule_is_refused(pool: Pool) -> None:
    pool.add(ENTRY)
    pool.move("checks", Status.RETIRED, "hurts")
    with pytest.raises(PoolError, match="retired"):
        pool.add(replace(ENTRY, rule=replace(RULE, rule_id="other")))


def test_an_id_belongs_to_one_body_until_a_higher_version_comes(pool: Pool) -> None:
    pool.add(ENTRY)
    other = replace(RULE, strip_patterns=("^x",))
    with pytest.raises(PoolError, match="higher version"):
        pool.add(replace(ENTRY, rule=other))
    pool.add(replace(ENTRY, rule=replace(other, version=2)))
    found = pool.get("checks")
    assert found is not None
    assert found.rule.strip_patterns == ("^x",)
    assert len(pool.history("checks")) == 2


def test_the_most_useful_rule_comes_first_and_only_the_best_of_a_scope(pool: Pool) -> None:
    for number in range(4):
        rule = replace(RULE, rule_id=f"r{number}", keep_patterns=(f"check {number} ",))
        pool.add(replace(ENTRY, rule=rule, evidence={"saved": 10 * number}))
    pool.count({("r1", "runchecks"): Outcome(applied=9, saved=5_000)})
    assert [entry.rule.rule_id for entry in pool.entries()] == ["r1", "r3", "r2", "r0"]
    assert [rule.rule_id for rule in pool.best(2)] == ["r1", "r3"]
    pool.move("r1", Status.RETIRED, "hurts")
    assert [rule.rule_id for rule in pool.best(2)] == ["r3", "r2"]


def test_a_frozen_pool_takes_counts_but_no_rule(pool: Pool) -> None:
    pool.add(ENTRY)
    pool.freeze(on=True)
    pool.freeze(on=True)
    changes: list[Callable[[], object]] = [
        lambda: pool.add(replace(ENTRY, rule=replace(RULE, rule_id="other"))),
        lambda: pool.move("checks", Status.RETIRED, ""),
        lambda: pool.remove("checks"),
    ]
    for change in changes:
        with pytest.raises(PoolError, match="frozen"):
            change()
    pool.count({("checks", "runchecks"): Outcome(applied=1)})
    pool.freeze(on=False)
    pool.remove("checks")
    assert pool.get("checks") is None
    assert pool.outcomes() == {}
    with pytest.raises(PoolError, match="no rule 'checks'"):
        pool.remove("checks")


def test_counts_up_to_a_mark_are_added_once(pool: Pool) -> None:
    counts = {("checks", "runchecks"): Outcome(applied=2, saved=7)}
    assert pool.count(counts, source="here", mark=5)
    assert not pool.count(counts, source="here", mark=5)
    assert not pool.count(counts, source="here", mark=4)
    assert pool.count(counts, source="there", mark=1)
    assert pool.count(counts, source="here", mark=6)
    assert pool.outcomes() == {("checks", "runchecks"): Outcome(applied=6, saved=21)}
    assert pool.mark("here") == 6


def test_a_rule_that_was_changed_by_hand_is_not_used(pool: Pool, where: str) -> None:
    pool.add(ENTRY)
    body = json.dumps({"rule_id": "checks", "trigger_regex": ".", "strip_patterns": ["."]})
    engine = db.engine(where)
    with db.writing(engine) as connection:
        connection.execute(sa.text("UPDATE pool_rules SET body = :body"), {"body": body})
    engine.dispose()
    refused: list[PoolError] = []
    assert pool.entries(refused.append) == ()
    assert "changed by hand" in str(refused[0])


def test_sizes_are_capped(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PoolError, match="64 KiB"):
        pool.add(Entry(rule=replace(RULE, description="x" * 70_000)))
    monkeypatch.setattr("agentctx.pool.pool.MOST", 1)
    pool.add(ENTRY)
    with pytest.raises(PoolError, match="remove some"):
        pool.add(Entry(rule=replace(RULE, rule_id="other", tests=())))


def test_a_database_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="check that database") as caught:
        opened("postgresql://nobody@127.0.0.1:1/none")
    assert "\n" not in str(caught.value)


COUNTING = """
    import os, sys
    from agentctx.pool import Outcome, opened

    where, processes, updates = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    opened(where)
    children = []
    for number in range(processes):
        if not (child := os.fork()):
            pool = opened(where)
            for update in range(updates):
                pool.count({(f"rule-{update % 3}", "scope"): Outcome(applied=1, saved=2)})
            os._exit(0)
        children.append(child)
    sys.exit(any(os.waitpid(child, 0)[1] for child in children))
"""


@posix
def test_a_hundred_processes_count_a_hundred_outcomes_each(where: str, pool: Pool) -> None:
    run(COUNTING, where, 100, 100)
    total = sum(pool.outcomes().values(), Outcome())
    assert total == Outcome(applied=10_000, saved=20_000)
    assert len(pool.outcomes()) == 3


OPENING = """
    import os, sys
    from agentctx.pool import opened

    children = []
    for number in range(8):
        if not (child := os.fork()):
            opened(sys.argv[1])
            os._exit(0)
        children.append(child)
    sys.exit(any(os.waitpid(child, 0)[1] for child in children))
"""


@posix
def test_several_processes_may_open_a_new_pool_at_once(where: str) -> None:
    run(OPENING, where)
    with opened(where) as pool:
        assert pool.entries() == ()
