"""What the pool asks of its database, statement by statement."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Table
from sqlalchemy.dialects import postgresql, sqlite

from agentctx import db
from agentctx.errors import PoolError
from agentctx.pool.entry import Change, Entry
from agentctx.pool.outcome import COUNTS, NOTHING, Outcome
from agentctx.pool.tables import changes, rules, sources
from agentctx.pool.tables import outcomes as counted
from agentctx.terminal.rules.rule import Status


@contextmanager
def changing(engine: Engine, allowed: Callable[[Connection], None]) -> Iterator[Connection]:
    """Open a transaction in which nobody else changes rules."""
    with db.writing(engine) as connection:
        db.alone(connection, "rules")
        allowed(connection)
        yield connection


def entries(
    connection: Connection, chosen: sa.Select[Any], refused: Callable[[PoolError], object]
) -> list[Entry]:
    """Return the rules of a selection; one that cannot be used is told to `refused`."""
    sums = totals(connection)
    found = []
    for row in connection.execute(chosen.order_by(rules.c.rule_id)):
        try:
            found.append(Entry.of(row, sums.get(row.rule_id, NOTHING)))
        except PoolError as error:
            refused(error)
    return found


def entry(connection: Connection, rule_id: str) -> Entry | None:
    """Return a rule, if it is there."""
    row = connection.execute(rules.select().where(rules.c.rule_id == rule_id)).one_or_none()
    if row is None:
        return None
    return Entry.of(row, totals(connection, rule_id).get(rule_id, NOTHING))


def has(connection: Connection, rule_id: str) -> bool:
    """Tell whether a rule is there, whatever it holds."""
    chosen = sa.select(rules.c.rule_id).where(rules.c.rule_id == rule_id)
    return connection.scalar(chosen) is not None


def size(connection: Connection) -> int:
    """Return how many rules there are."""
    return connection.scalar(sa.select(sa.func.count()).select_from(rules)) or 0


def put(connection: Connection, row: Mapping[str, Any], why: str) -> None:
    """Store a rule in the place of the one with its id."""
    connection.execute(rules.delete().where(rules.c.rule_id == row["rule_id"]))
    connection.execute(rules.insert().values(row))
    _note(connection, row["rule_id"], Status(row["status"]), why)


def move(connection: Connection, rule_id: str, status: Status, why: str) -> None:
    """Change the status of a rule."""
    chosen = rules.update().where(rules.c.rule_id == rule_id)
    connection.execute(chosen.values(status=str(status)))
    _note(connection, rule_id, status, why)


def count(connection: Connection, counts: Mapping[tuple[str, str], Outcome]) -> None:
    """Add to the counts of rules, each in one statement that no other process comes between."""
    for (rule_id, scope), outcome in sorted(counts.items()):  # in one order: no deadlock
        given = {name: getattr(outcome, name) for name in COUNTS}
        row = _insert(connection, counted).values(rule_id=rule_id, scope=scope, **given)
        sums = {name: counted.c[name] + row.excluded[name] for name in COUNTS}
        connection.execute(
            row.on_conflict_do_update(index_elements=["rule_id", "scope"], set_=sums)
        )


def marked(connection: Connection, source: str, mark: int) -> bool:
    """Move the mark of a source on; False when it is that far already."""
    row = _insert(connection, sources).values(source=source, mark=mark)
    moved = row.on_conflict_do_update(
        index_elements=["source"],
        set_={"mark": row.excluded.mark},
        where=sources.c.mark < row.excluded.mark,
    )
    return connection.execute(moved.returning(sources.c.mark)).first() is not None


def mark(connection: Connection, source: str) -> int:
    """Return the mark of a source."""
    return connection.scalar(sa.select(sources.c.mark).where(sources.c.source == source)) or 0


def outcomes(connection: Connection) -> dict[tuple[str, str], Outcome]:
    """Return all counts, by rule and scope."""
    return {(row.rule_id, row.scope): _outcome(row) for row in connection.execute(counted.select())}


def totals(connection: Connection, rule_id: str | None = None) -> dict[str, Outcome]:
    """Return the counts of rules over all scopes, of one rule or of all."""
    sums = [sa.cast(sa.func.sum(counted.c[name]), sa.BigInteger).label(name) for name in COUNTS]
    chosen = sa.select(counted.c.rule_id, *sums).group_by(counted.c.rule_id)
    if rule_id is not None:
        chosen = chosen.where(counted.c.rule_id == rule_id)
    return {row.rule_id: _outcome(row) for row in connection.execute(chosen)}


def history(connection: Connection, rule_id: str) -> tuple[Change, ...]:
    """Return the changes of a rule in their order."""
    chosen = changes.select().where(changes.c.rule_id == rule_id).order_by(changes.c.number)
    return tuple(
        Change(status=Status(row.status), why=row.why, at=row.at)
        for row in connection.execute(chosen)
    )


def _note(connection: Connection, rule_id: str, status: Status, why: str) -> None:
    earlier = sa.select(sa.func.count()).where(changes.c.rule_id == rule_id)
    number = (connection.scalar(earlier) or 0) + 1
    row = {"rule_id": rule_id, "number": number, "status": str(status), "why": why}
    connection.execute(changes.insert().values(**row, at=time.time()))


def _outcome(row: Any) -> Outcome:
    return Outcome(**{name: getattr(row, name) for name in COUNTS})


def _insert(connection: Connection, table: Table) -> Any:
    """Return an INSERT that may say what to do with a row that is there, in this dialect."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table)
