"""Diary: the remembered outputs and the complaints of a data folder, which processes share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from agentctx import db
from agentctx.diary import tables
from agentctx.diary.records import Complaint, Seen

MOST_CASES = 2_000
"""Outputs that are remembered; older ones go."""


class Diary:
    """The diary of a data folder, in a database that processes share."""

    def __init__(self, engine: Engine) -> None:
        """Use a database, its tables made if need be.

        Raises:
            LedgerError: it is damaged, too new, or cannot be written.
        """
        self._engine = engine
        db.migrate(engine, [_create], "diary")

    @property
    def id(self) -> str:
        """What names this data folder for a pool, wherever it lies."""
        with db.reading(self._engine) as connection:
            if known := connection.scalar(sa.select(tables.own.c.id)):
                return str(known)
        with db.writing(self._engine) as connection:
            if not connection.scalar(sa.select(tables.own.c.id)):
                connection.execute(tables.own.insert().values(id=uuid4().hex))
            return str(connection.scalar(sa.select(tables.own.c.id)))

    def complain(self, made: Iterable[Complaint], then: Callable[[], None]) -> bool:
        """Note complaints, each once for an original; `then` runs while nobody else writes.

        Returns:
            Whether any is new.
        """
        with db.writing(self._engine) as connection:
            new = [one for one in made if not _known(connection, one)]
            for one in new:
                connection.execute(tables.complaints.insert().values(tables.complaint_row(one)))
            if new:
                then()
        return bool(new)

    def complaints(self) -> tuple[Complaint, ...]:
        """Return those that are not settled, oldest first."""
        with db.reading(self._engine) as connection:
            return _open(connection)

    def since(self, number: int) -> tuple[Complaint, ...]:
        """Return all complaints after that of a number, settled or not, oldest first."""
        chosen = tables.complaints.select().where(tables.complaints.c.number > number)
        with db.reading(self._engine) as connection:
            rows = connection.execute(chosen.order_by(tables.complaints.c.number))
            return tuple(map(tables.complaint, rows))

    def settle(
        self, settled: Iterable[Complaint], then: Callable[[Sequence[Complaint]], None]
    ) -> None:
        """Note that complaints are dealt with; `then` gets the others, while nobody else writes."""
        with db.writing(self._engine) as connection:
            for one in settled:
                chosen = tables.complaints.update().where(tables.complaints.c.number == one.number)
                connection.execute(chosen.values(settled=1))
            then(_open(connection))

    def see(self, seen: Iterable[Seen]) -> None:
        """Remember outputs; what is known of one already is replaced."""
        with db.writing(self._engine) as connection:
            for one in seen:
                same = tables.cases.c.name == one.name, tables.cases.c.task == one.task
                connection.execute(tables.cases.delete().where(*same))
                connection.execute(tables.cases.insert().values(tables.seen_row(one)))
            newest = (
                sa.select(tables.cases.c.at)
                .order_by(tables.cases.c.at.desc())
                .offset(MOST_CASES)
                .limit(1)
            )
            if (oldest := connection.scalar(newest)) is not None:
                connection.execute(tables.cases.delete().where(tables.cases.c.at <= oldest))

    def fresh(self) -> int:
        """Return how many outputs were remembered since rules were last learnt from them."""
        newest = sa.select(sa.func.coalesce(sa.func.max(tables.learnt.c.at), 0.0)).scalar_subquery()
        chosen = sa.select(sa.func.count()).where(tables.cases.c.at > newest)
        with db.reading(self._engine) as connection:
            return connection.scalar(chosen) or 0

    def learnt(self) -> None:
        """Note that rules were learnt from all that is remembered now."""
        newest = sa.select(sa.func.coalesce(sa.func.max(tables.cases.c.at), 0.0))
        with db.writing(self._engine) as connection:
            at = connection.scalar(newest)
            connection.execute(tables.learnt.delete())
            connection.execute(tables.learnt.insert().values(at=at))

    def seen(self) -> Iterator[Seen]:
        """Yield the outputs that are remembered, oldest first."""
        with db.reading(self._engine) as connection:
            rows = connection.execute(tables.cases.select().order_by(tables.cases.c.at)).all()
        yield from map(tables.seen, rows)


def _create(connection: Connection) -> None:
    tables.metadata.create_all(connection)


def _open(connection: Connection) -> tuple[Complaint, ...]:
    chosen = tables.complaints.select().where(tables.complaints.c.settled == 0)
    return tuple(
        map(tables.complaint, connection.execute(chosen.order_by(tables.complaints.c.number)))
    )


def _known(connection: Connection, one: Complaint) -> bool:
    chosen = sa.select(tables.complaints.c.number).where(
        tables.complaints.c.rule_id == one.rule_id, tables.complaints.c.name == one.name
    )
    return connection.scalar(chosen.limit(1)) is not None
