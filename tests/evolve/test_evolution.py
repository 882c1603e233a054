from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agentctx.evolve.evolution import Evolution
from agentctx.options import Rules
from agentctx.session import Session
from agentctx.terminal.marker import handles
from agentctx.terminal.rules.rule import Status
from agentctx.values import Observation
from tests.evolve.sessions import (
    CHECKS,
    WAY,
    expand,
    live,
    output,
    pool,
    see,
    session,
    settings,
)
from tests.learn.outputs import END, PASSED
from tests.processes import run


def test_rules_write_themselves_while_agents_work(tmp_path: Path) -> None:
    live(tmp_path, range(20))
    [entry] = pool(tmp_path).entries()
    assert entry.rule.status is Status.ACTIVE
    assert entry.scope == "runchecks"
    assert entry.evidence["applied"] >= 5
    shown = see(session(tmp_path, "task-20"), 20)
    assert PASSED[3] not in shown
    assert shown.endswith(END)


def learnt(folder: Path) -> None:
    live(folder, range(20))
    assert [entry.rule.works for entry in pool(folder).entries()] == [True]


def test_a_successor_keeps_the_lines_that_were_asked_for(tmp_path: Path) -> None:
    learnt(tmp_path)
    with session(tmp_path, "task-20") as one:
        text = see(one, 20)
        assert PASSED[3] in expand(one, text, grep="check_3 ")
    one.learner.wait()
    entries = {entry.rule.rule_id: entry for entry in pool(tmp_path).entries()}
    [successor] = [entry for entry in entries.values() if entry.parent]
    assert successor.rule.works
    assert successor.rule.version == 2
    shown = see(session(tmp_path, "task-21"), 21)
    assert PASSED[3] in shown
    assert PASSED[4] not in shown
    assert entries[successor.parent].outcome.complained == 1


def test_a_successor_keeps_the_lines_that_were_used_after_all_was_given_back(
    tmp_path: Path,
) -> None:
    learnt(tmp_path)
    with session(tmp_path, "task-20") as one:
        expand(one, see(one, 20))
        one.observe(Observation(output="x", command="sed -n 1,9p suite.part5.Case"))
    one.learner.wait()
    [successor] = [entry for entry in pool(tmp_path).entries() if entry.parent]
    assert "suite.part5.Case" in successor.rule.keep_patterns[0].replace("\\", "")
    shown = see(session(tmp_path, "task-21"), 21)
    assert PASSED[5] in shown
    assert PASSED[4] not in shown


def test_a_rule_of_which_nothing_was_needed_is_used_again_with_less_trust(tmp_path: Path) -> None:
    learnt(tmp_path)
    before = pool(tmp_path).entries()[0]
    with session(tmp_path, "task-20") as one:
        expand(one, see(one, 20))
        assert PASSED[4] in see(one, 21)
    one.learner.wait()
    [after] = pool(tmp_path).entries()
    assert after.outcome.confidence < before.outcome.confidence
    assert PASSED[4] not in see(session(tmp_path, "task-22"), 22)


def test_a_rule_for_which_agents_always_come_back_is_retired(tmp_path: Path) -> None:
    learnt(tmp_path)
    for number in range(20, 50):
        with session(tmp_path, f"task-{number}") as one:
            text = one.observe(
                Observation(output=output(number) + f"\n{number} s", command=CHECKS)
            ).text
            if handles(text):
                expand(one, text)
        one.learner.wait()
    [entry] = pool(tmp_path).entries()
    assert entry.rule.status is Status.RETIRED
    assert [change.status for change in pool(tmp_path).history(entry.rule.rule_id)] == [
        Status.ACTIVE,
        Status.RETIRED,
    ]
    assert PASSED[4] in see(session(tmp_path, "task-50"), 50)


def test_outcomes_are_counted_once(tmp_path: Path) -> None:
    learnt(tmp_path)
    [before] = pool(tmp_path).entries()
    with session(tmp_path, "task-20") as one:
        see(one, 20)
        one.observe(Observation(output="done", command="make"))
        see(one, 21)
    one.learner.wait()
    [entry] = pool(tmp_path).entries()
    assert entry.outcome.applied == before.outcome.applied + 2
    assert entry.outcome.saved > before.outcome.saved + 500
    Evolution(one.stores, pool(tmp_path)).run()
    assert pool(tmp_path).entries()[0].outcome == entry.outcome


def test_a_frozen_pool_changes_no_rule_but_counts(tmp_path: Path) -> None:
    learnt(tmp_path)
    pool(tmp_path).freeze(on=True)
    with session(tmp_path, "task-20") as one:
        expand(one, see(one, 20), grep="check_3 ")
    one.learner.wait()
    [entry] = pool(tmp_path).entries()
    assert entry.outcome.complained == 1
    assert entry.rule.works
    assert PASSED[4] in see(session(tmp_path, "task-21"), 21)  # still in doubt here
    pool(tmp_path).freeze(on=False)
    Evolution(one.stores, pool(tmp_path)).run()
    assert len(pool(tmp_path).entries()) == 2


def test_another_data_folder_takes_over_what_the_pool_knows(tmp_path: Path) -> None:
    learnt(tmp_path)
    other = tmp_path / "other"
    with Session("new", settings=replace(settings(tmp_path), data=other), expand_hint=WAY) as one:
        one.observe(Observation(output="done", command="make"))
    one.learner.wait()
    chosen = replace(settings(tmp_path, Rules.FROZEN), data=other)
    assert PASSED[4] not in see(Session("next", settings=chosen, expand_hint=WAY), 1)


NEVER_CLOSED = """
    import sys
    from pathlib import Path
    from agentctx.values import Observation
    from tests.evolve.sessions import see, session

    one = session(Path(sys.argv[1]), sys.argv[2])
    see(one, int(sys.argv[2]))
    one.observe(Observation(output="done", command="git commit -am done"))
"""


def test_a_session_that_nobody_closes_is_remembered_at_the_exit(tmp_path: Path) -> None:
    run(NEVER_CLOSED, tmp_path, 3)
    [seen] = session(tmp_path, "later").stores.diary.seen()
    assert seen.command == CHECKS
    assert seen.task == "3"
