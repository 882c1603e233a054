"""Pool: the rules that tasks, people and machines share, in SQLite or PostgreSQL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from agentctx import db
from agentctx.errors import PoolError
from agentctx.pool import rows
from agentctx.pool.behaviour import same
from agentctx.pool.entry import Change, Entry
from agentctx.pool.outcome import NOTHING, Outcome
from agentctx.pool.tables import MIGRATIONS, changes, outcomes, rules, switches
from agentctx.terminal.rules.rule import Rule, Status

MOST = 2_000
"""Rules in a pool."""

TOP = 10
"""Rules for one scope that are worth being asked for."""

_PATIENCE_MS = 600_000  # SQLite lets whoever comes first, and a hundred others may be before us
_FROZEN = "frozen"

Counts: TypeAlias = Mapping[tuple[str, str], Outcome]
"""What came of rules, by the id of the rule and the scope of the command."""


def opened(where: str | Path) -> Pool:
    """Return the pool in a file, or of the URL of a database.

    Raises:
        LedgerError: it cannot be used.
    """
    return Pool(db.engine(where, durable=False, patience_ms=_PATIENCE_MS))


class Pool:
    """Rules with their evidence and outcomes; several processes may use one at once.

    Used in a `with`, it closes its connections at the end.
    """

    def __init__(self, engine: Engine) -> None:
        """Use a database, and bring its schema up to date.

        Raises:
            LedgerError: it cannot be used, or a newer agentctx has written there.
        """
        self._engine = engine
        db.migrate(engine, MIGRATIONS, "pool")

    def __enter__(self) -> Pool:
        """Return itself."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close its connections."""
        self._engine.dispose()

    def entries(
        self, refused: Callable[[PoolError], object] = lambda error: None
    ) -> tuple[Entry, ...]:
        """Return all rules, the most useful first; one that cannot be used is told and left out."""
        with db.reading(self._engine) as connection:
            found = rows.entries(connection, rules.select(), refused)
        return tuple(sorted(found, key=lambda entry: (-entry.rank, entry.rule.rule_id)))

    def get(self, rule_id: str) -> Entry | None:
        """Return a rule.

        Raises:
            PoolError: it was changed by hand.
        """
        with db.reading(self._engine) as connection:
            return rows.entry(connection, rule_id)

    def best(self, most: int = TOP) -> tuple[Rule, ...]:
        """Return the active rules, of each scope only so many, the most useful ones."""
        by_scope: dict[str, list[Rule]] = defaultdict(list)
        for entry in self.entries():
            if entry.rule.works:
                by_scope[entry.scope or entry.rule.trigger_regex].append(entry.rule)
        return tuple(rule for members in by_scope.values() for rule in members[:most])

    def add(self, entry: Entry, why: str = "") -> str:
        """Put a rule in, and return the id under which it is there.

        One that does what another of its scope does is merged with it: that one stays, and becomes
        active if the new one is. One with a known id replaces it, if it has a higher version.

        Raises:
            PoolError: the pool is frozen or full, the rule too large, its id taken by another, or
                it does what a retired one did.
        """
        row = entry.row()
        with self._changing() as connection:
            near = rules.select().where(rules.c.scope == entry.scope)
            twin = _twin(entry, rows.entries(connection, near, _left_out))
            if twin is not None:
                if twin.rule.status is Status.RETIRED:
                    raise PoolError(
                        f"rule {entry.rule.rule_id!r} does what {twin.rule.rule_id!r} did, "
                        "which is retired: agentctx rules show it --why"
                    )
                if entry.rule.works and not twin.rule.works:
                    rows.move(connection, twin.rule.rule_id, Status.ACTIVE, why)
                return twin.rule.rule_id
            known = rows.entry(connection, entry.rule.rule_id)
            if known is not None and known.rule.version >= entry.rule.version:
                if known.digest == row["digest"]:
                    return known.rule.rule_id
                raise PoolError(
                    f"rule {entry.rule.rule_id!r} is there with another body: "
                    "give it another id or a higher version"
                )
            if known is None and rows.size(connection) >= MOST:
                raise PoolError(f"the pool holds {MOST:,} rules: remove some that are retired")
            rows.put(connection, row, why)
            counted = Outcome(
                applied=entry.rule.times_applied, complained=entry.rule.times_complained
            )
            if known is None and counted != NOTHING:
                rows.count(connection, {(entry.rule.rule_id, ""): counted})
        return entry.rule.rule_id

    def move(self, rule_id: str, status: Status, why: str) -> None:
        """Let a rule become what the gate, its outcomes or a person say.

        Raises:
            PoolError: the pool is frozen, or there is no such rule.
        """
        with self._changing() as connection:
            _there(connection, rule_id)
            rows.move(connection, rule_id, status, why)

    def remove(self, rule_id: str) -> None:
        """Take a rule out, with its outcomes and its history.

        Raises:
            PoolError: the pool is frozen, or there is no such rule.
        """
        with self._changing() as connection:
            _there(connection, rule_id)
            for table in (rules, outcomes, changes):
                connection.execute(table.delete().where(table.c.rule_id == rule_id))

    def count(self, counts: Counts, *, source: str = "", mark: int = 0) -> bool:
        """Add what came of rules; also of those that ship, and while the pool is frozen.

        Args:
            counts: what is added.
            source: names where it comes from, such as a data folder.
            mark: how far that is read: what lies before a mark is counted once, whoever says it.

        Returns:
            Whether it was added now.
        """
        with db.writing(self._engine) as connection:
            if source and not rows.marked(connection, source, mark):
                return False
            rows.count(connection, counts)
        return True

    def mark(self, source: str) -> int:
        """Return how far a source is counted."""
        with db.reading(self._engine) as connection:
            return rows.mark(connection, source)

    def outcomes(self) -> dict[tuple[str, str], Outcome]:
        """Return what came of rules, by id and scope."""
        with db.reading(self._engine) as connection:
            return rows.outcomes(connection)

    def totals(self) -> dict[str, Outcome]:
        """Return what came of rules, by id, over all scopes."""
        with db.reading(self._engine) as connection:
            return rows.totals(connection)

    def history(self, rule_id: str) -> tuple[Change, ...]:
        """Return what became of a rule, oldest first."""
        with db.reading(self._engine) as connection:
            return rows.history(connection, rule_id)

    @property
    def frozen(self) -> bool:
        """Whether rules stay as they are."""
        with db.reading(self._engine) as connection:
            return _is_frozen(connection)

    def freeze(self, *, on: bool) -> None:
        """Let all rules stay as they are, or not any more; outcomes are counted all the same."""
        with db.writing(self._engine) as connection:
            if on and not _is_frozen(connection):
                connection.execute(switches.insert().values(name=_FROZEN))
            elif not on:
                connection.execute(switches.delete())

    def _changing(self) -> AbstractContextManager[Connection]:
        return rows.changing(self._engine, _refuse_frozen)


def _is_frozen(connection: Connection) -> bool:
    chosen = sa.select(switches.c.name).where(switches.c.name == _FROZEN)
    return connection.scalar(chosen) is not None


def _refuse_frozen(connection: Connection) -> None:
    if _is_frozen(connection):
        raise PoolError("the pool is frozen: agentctx rules freeze --off")


def _there(connection: Connection, rule_id: str) -> None:
    if not rows.has(connection, rule_id):
        raise PoolError(f"no rule {rule_id[:60]!r} in the pool: see agentctx rules stats")


def _twin(entry: Entry, others: Iterable[Entry]) -> Entry | None:
    """Return another rule that does the same."""
    rule = _working(entry.rule)
    near = (other for other in others if other.rule.rule_id != rule.rule_id)
    return next((other for other in near if same(_working(other.rule), rule)), None)


def _working(rule: Rule) -> Rule:
    return replace(rule, status=Status.ACTIVE, confidence=1.0)


def _left_out(error: PoolError) -> None:
    """Go on without a row that cannot be used."""
