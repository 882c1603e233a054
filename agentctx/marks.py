"""What memory has taken in of each conversation, and what it has shown there: facts in SQL.

It is only touched while memory is on. A broken database costs exactly-once after a restart and the
replay of a block, never a record.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import Column, Connection, Engine, Float, Index, Integer, MetaData, String, Table
from sqlalchemy.dialects.sqlite import insert

from agentctx import db
from agentctx.schema import Exact

_metadata = MetaData()
_turns = Table(
    "memory_turns",
    _metadata,
    Column("session", String, primary_key=True),
    Column("position", String, primary_key=True),
    Column("generation", Integer, nullable=False),
    Column("depth", Integer, nullable=False),
    Index("memory_turns_depth", "session", "generation", "depth"),
)
_marks = Table(
    "memory_marks",
    _metadata,
    Column("session", String, primary_key=True),
    Column("mark", String, primary_key=True),
    Column("generation", Integer, nullable=False),
)
_blocks = Table(
    "memory_blocks",
    _metadata,
    Column("session", String, primary_key=True),
    Column("generation", Integer, primary_key=True),
    Column("text", Exact, nullable=False),
    Column("at", Float, nullable=False),
)
_branches = Table(
    "memory_branches",
    _metadata,
    Column("session", String, primary_key=True),
    Column("branch", String, nullable=False),
)


class Place(NamedTuple):
    """A point of a history: how often it was replaced before, and the turns until there."""

    generation: int
    depth: int


@dataclass(frozen=True, slots=True)
class Taking:
    """One transaction of a conversation's marks; it is kept if its block ends well."""

    connection: Connection
    session: str

    def remove(self, mark: str, others: Collection[str]) -> None:
        """Remove a mark of this conversation and of `others`."""
        chosen = _marks.c.session.in_({self.session, *others}), _marks.c.mark == mark
        self.connection.execute(sa.delete(_marks).where(*chosen))

    def known(self, marks: Collection[str], others: Collection[str]) -> set[str]:
        """Return those marks that this conversation, or one of `others`, has."""
        chosen = sa.select(_marks.c.mark).where(
            _marks.c.session.in_({self.session, *others}), _marks.c.mark.in_(marks)
        )
        return set(self.connection.scalars(chosen))

    def add(self, marks: Collection[str], also: Collection[str], generation: int) -> None:
        """Note marks, for this conversation and those of `also`."""
        rows = [
            {"session": session, "mark": mark, "generation": generation}
            for session in {self.session, *also}
            for mark in marks
        ]
        self.connection.execute(insert(_marks).on_conflict_do_nothing(), rows)

    def knows(self, position: str) -> bool:
        """Tell whether a history was taken in up to that point."""
        found = sa.select(_turns.c.depth).where(
            _turns.c.session == self.session, _turns.c.position == position
        )
        return self.connection.execute(found).first() is not None

    def reach(self, places: Mapping[str, Place]) -> None:
        """Note that a history was taken in up to these points."""
        rows = [
            {"session": self.session, "position": position, **place._asdict()}
            for position, place in places.items()
        ]
        if rows:
            into = insert(_turns)
            new = {"generation": into.excluded.generation, "depth": into.excluded.depth}
            keys = ["session", "position"]
            self.connection.execute(into.on_conflict_do_update(index_elements=keys, set_=new), rows)

    def keep(self, marks: Iterable[str], generation: int) -> None:
        """Move those marks that are there to a later generation."""
        for some in db.batches(marks):
            chosen = _marks.c.session == self.session, _marks.c.mark.in_(some)
            self.connection.execute(sa.update(_marks).where(*chosen).values(generation=generation))

    def block(self, generation: int, text: str) -> str:
        """Store what a generation is shown, unless it has a block; return the one that stands."""
        row = {"session": self.session, "generation": generation, "at": time.time()}
        stored = insert(_blocks).values(row | {"text": text})
        self.connection.execute(stored.on_conflict_do_nothing())
        return _block(self.connection, self.session, generation) or ""


class Marks:
    """The marks of a data folder, in a database that processes share."""

    def __init__(self, engine: Engine) -> None:
        """Use a database, its tables made if need be.

        Raises:
            LedgerError: it is damaged, too new, or cannot be written.
        """
        self._engine = engine
        db.migrate(engine, [_create], "memory")

    def close(self) -> None:
        """Close its connections."""
        self._engine.dispose()

    def places(self, session: str, positions: Sequence[str]) -> dict[str, Place]:
        """Return those points of a history that were taken in."""
        found = dict[str, Place]()
        with db.reading(self._engine) as connection:
            for some in db.batches(positions):
                chosen = _turns.c.session == session, _turns.c.position.in_(some)
                for row in connection.execute(_turns.select().where(*chosen)):
                    found[row.position] = Place(row.generation, row.depth)
        return found

    def newest(self, session: str) -> Place | None:
        """Return the newest generation of a conversation and its most turns; None for a new one."""
        chosen = (
            sa.select(_turns.c.generation, sa.func.max(_turns.c.depth).label("depth"))
            .where(_turns.c.session == session)
            .group_by(_turns.c.generation)
            .order_by(_turns.c.generation.desc())
        )
        with db.reading(self._engine) as connection:
            row = connection.execute(chosen.limit(1)).first()
        return Place(row.generation, row.depth) if row else None

    def marked(self, session: str, start: str, generation: int) -> set[str]:
        """Return the marks of a generation that begin so."""
        chosen = sa.select(_marks.c.mark).where(
            _marks.c.session == session,
            _marks.c.generation == generation,
            _marks.c.mark.startswith(start, autoescape=True),
        )
        with db.reading(self._engine) as connection:
            return set(connection.scalars(chosen))

    def block(self, session: str, generation: int) -> str | None:
        """Return what a generation is shown; None when that is not decided."""
        with db.reading(self._engine) as connection:
            return _block(connection, session, generation)

    def is_block(self, text: str) -> bool:
        """Tell whether a text is what some conversation was shown."""
        found = sa.select(_blocks.c.generation).where(_blocks.c.text == text).limit(1)
        with db.reading(self._engine) as connection:
            return connection.execute(found).first() is not None

    @contextmanager
    def taking(self, session: str) -> Iterator[Taking]:
        """Open a transaction that no other process shares."""
        with db.writing(self._engine) as connection:
            yield Taking(connection, session)

    def branch(self, session: str) -> str | None:
        """Return the branch that a session stood on last."""
        chosen = sa.select(_branches.c.branch).where(_branches.c.session == session)
        with db.reading(self._engine) as connection:
            return connection.scalar(chosen)

    def stand(self, session: str, branch: str) -> None:
        """Note the branch that a session stands on."""
        into = insert(_branches).values(session=session, branch=branch)
        with db.writing(self._engine) as connection:
            connection.execute(
                into.on_conflict_do_update(index_elements=["session"], set_={"branch": branch})
            )


def _block(connection: Connection, session: str, generation: int) -> str | None:
    chosen = sa.select(_blocks.c.text).where(
        _blocks.c.session == session, _blocks.c.generation == generation
    )
    return connection.scalar(chosen)


def _create(connection: Connection) -> None:
    _metadata.create_all(connection)
