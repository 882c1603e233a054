"""Diary: what a data folder has seen of outputs and of rules, to learn from: facts in SQL."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy import Column, Connection, Engine, Float, Integer, MetaData, Table
from sqlalchemy import String as Name

from agentctx import db
from agentctx.schema import Exact

MOST_CASES = 2_000
"""Outputs that are remembered; older ones go."""

DOUBT_S = 86_400.0
"""How long a rule is not used where it was complained about, unless it is settled before."""

_metadata = MetaData()
_cases = Table(
    "diary_cases",
    _metadata,
    Column("name", Name, primary_key=True),
    Column("task", Name, primary_key=True),
    Column("command", Exact, nullable=False),
    Column("tool", Exact, nullable=False),
    Column("exit_code", Integer),
    Column("used", Exact, nullable=False),
    Column("at", Float, nullable=False),
)
_complaints = Table(
    "diary_complaints",
    _metadata,
    Column("number", Integer, primary_key=True),
    Column("rule_id", Name, nullable=False),
    Column("scope", Name, nullable=False),
    Column("name", Name, nullable=False),
    Column("kind", Name, nullable=False),
    Column("lines", Exact, nullable=False),
    Column("released", Integer, nullable=False),
    Column("settled", Integer, nullable=False),
    Column("at", Float, nullable=False),
)
_self = Table("diary_self", _metadata, Column("id", Name, primary_key=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An output that is in the archive under `name`, and the strings of it that were used.

    `at` is when it was remembered, in seconds since 1970.
    """

    name: str
    task: str
    command: str
    tool: str = ""
    exit_code: int | None = None
    used: tuple[str, ...] = ()
    at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """An agent came back for lines that a rule had hidden.

    Attributes:
        rule_id: the rule.
        scope: the commands that the output is of, such as "git clone".
        name: of the original, in the archive.
        kind: "expand", "again" (the same command with nothing changed), "full" (asked for in words).
        lines: those that were asked for, if they are known.
        released: tokens that were delivered again.
        number: counts them; 0 for a new one.
        at: when, in seconds since 1970.
    """

    rule_id: str
    scope: str
    name: str
    kind: str
    lines: tuple[str, ...] = ()
    released: int = 0
    number: int = 0
    at: float = 0.0


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
            if known := connection.scalar(sa.select(_self.c.id)):
                return str(known)
        with db.writing(self._engine) as connection:
            if not connection.scalar(sa.select(_self.c.id)):
                connection.execute(_self.insert().values(id=uuid4().hex))
            return str(connection.scalar(sa.select(_self.c.id)))

    def complain(self, made: Iterable[Complaint], then: Callable[[], None]) -> bool:
        """Note complaints, each once for an original; `then` runs while nobody else writes.

        Returns:
            Whether any is new.
        """
        with db.writing(self._engine) as connection:
            new = [one for one in made if not _known(connection, one)]
            for one in new:
                connection.execute(_complaints.insert().values(_row(one)))
            if new:
                then()
        return bool(new)

    def complaints(self) -> tuple[Complaint, ...]:
        """Return those that are not settled, oldest first."""
        chosen = _complaints.select().where(_complaints.c.settled == 0)
        with db.reading(self._engine) as connection:
            return tuple(map(_complaint, connection.execute(chosen.order_by(_complaints.c.number))))

    def since(self, number: int) -> tuple[Complaint, ...]:
        """Return all complaints after that of a number, settled or not, oldest first."""
        chosen = _complaints.select().where(_complaints.c.number > number)
        with db.reading(self._engine) as connection:
            rows = connection.execute(chosen.order_by(_complaints.c.number))
            return tuple(map(_complaint, rows))

    def settle(
        self, settled: Iterable[Complaint], then: Callable[[Sequence[Complaint]], None]
    ) -> None:
        """Note that complaints are dealt with; `then` gets the others, while nobody else writes."""
        with db.writing(self._engine) as connection:
            for one in settled:
                chosen = _complaints.update().where(_complaints.c.number == one.number)
                connection.execute(chosen.values(settled=1))
            then(_open(connection))

    def see(self, seen: Iterable[Seen]) -> None:
        """Remember outputs; what is known of one already is replaced."""
        with db.writing(self._engine) as connection:
            for one in seen:
                same = _cases.c.name == one.name, _cases.c.task == one.task
                connection.execute(_cases.delete().where(*same))
                connection.execute(_cases.insert().values(_seen_row(one)))
            newest = sa.select(_cases.c.at).order_by(_cases.c.at.desc()).offset(MOST_CASES).limit(1)
            if (oldest := connection.scalar(newest)) is not None:
                connection.execute(_cases.delete().where(_cases.c.at <= oldest))

    def seen(self) -> Iterator[Seen]:
        """Yield the outputs that are remembered, oldest first."""
        with db.reading(self._engine) as connection:
            rows = connection.execute(_cases.select().order_by(_cases.c.at)).all()
        for row in rows:
            yield Seen(
                name=row.name,
                task=row.task,
                command=row.command,
                tool=row.tool,
                exit_code=row.exit_code,
                used=_texts(row.used),
                at=row.at,
            )


def _create(connection: Connection) -> None:
    _metadata.create_all(connection)


def _open(connection: Connection) -> tuple[Complaint, ...]:
    chosen = _complaints.select().where(_complaints.c.settled == 0)
    return tuple(map(_complaint, connection.execute(chosen.order_by(_complaints.c.number))))


def _known(connection: Connection, one: Complaint) -> bool:
    chosen = sa.select(_complaints.c.number).where(
        _complaints.c.rule_id == one.rule_id, _complaints.c.name == one.name
    )
    return connection.scalar(chosen.limit(1)) is not None


def _row(one: Complaint) -> dict[str, Any]:
    return {
        "rule_id": one.rule_id,
        "scope": one.scope,
        "name": one.name,
        "kind": one.kind,
        "lines": json.dumps(one.lines),
        "released": one.released,
        "settled": 0,
        "at": time.time(),
    }


def _complaint(row: Any) -> Complaint:
    return Complaint(
        rule_id=row.rule_id,
        scope=row.scope,
        name=row.name,
        kind=row.kind,
        lines=_texts(row.lines),
        released=row.released,
        number=row.number,
        at=row.at,
    )


def _seen_row(one: Seen) -> dict[str, Any]:
    return {
        "name": one.name,
        "task": one.task,
        "command": one.command,
        "tool": one.tool,
        "exit_code": one.exit_code,
        "used": json.dumps(one.used),
        "at": time.time(),
    }


def _texts(text: str) -> tuple[str, ...]:
    try:
        given = json.loads(text)
    except ValueError:
        return ()
    return tuple(one for one in given if isinstance(one, str)) if isinstance(given, list) else ()
