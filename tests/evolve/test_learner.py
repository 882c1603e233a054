"""What goes wrong while rules are learnt costs the session nothing (law 7)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from agentctx.session import Session
from tests.evolve.sessions import live, output, pool, see, session
from tests.learn.outputs import PASSED


def kinds(one: Session) -> list[str]:
    return [event.kind for event in one.stores.events.recent]


def test_a_pool_that_cannot_be_used_stops_no_session(tmp_path: Path) -> None:
    (tmp_path / "pool.db").write_text("no database")
    with session(tmp_path, "a") as one:
        assert see(one, 1) == output(1)
    one.learner.wait()
    assert "learning-failed" in kinds(one)
    assert len(list(one.stores.diary.seen())) == 1  # for the day when it is mended


def test_a_damaged_rule_of_the_pool_is_told_and_not_used(tmp_path: Path) -> None:
    live(tmp_path, range(20))
    assert len(pool(tmp_path).entries()) == 1
    with sqlite3.connect(tmp_path / "pool.db") as connection:
        connection.execute("UPDATE pool_rules SET body = '{}'")
    connection.close()
    with session(tmp_path, "next") as one:
        see(one, 20)
    one.learner.wait()
    assert "rules-refused" in kinds(one)
    assert PASSED[3] in see(session(tmp_path, "later"), 21)
