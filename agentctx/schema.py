"""The tables of the ledger, and the numbered steps that lead to them."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Column, Connection, Float, Index, Integer, String, Table
from sqlalchemy.engine import Dialect
from sqlalchemy.types import LargeBinary, TypeDecorator

from agentctx.db import Migration


class Exact(TypeDecorator[str]):
    """Text byte for byte, lone surrogates of a JSON payload included."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        """Encode for the database."""
        return None if value is None else value.encode("utf-8", "surrogatepass")

    def process_result_value(self, value: bytes | str | None, dialect: Dialect) -> str | None:
        """Decode from the database."""
        return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


metadata = sa.MetaData()

decisions = Table(
    "decisions",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("session", String, nullable=False),
    Column("call_id", Exact, nullable=False),
    Column("content_id", String, nullable=False),
    Column("emitted_id", String, nullable=False, index=True),
    Column("text", Exact),
    Column("handle", String, nullable=False, index=True),
    Column("spans", String, nullable=False),
    Column("rules", String, nullable=False),
    Column("refs", String, nullable=False),
    Column("tokens_before", Integer, nullable=False),
    Column("tokens_after", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Index("decisions_key", "session", "content_id", "call_id", unique=True),
)

handles = Table(
    "handles",
    metadata,
    Column("handle", String, primary_key=True),
    Column("content_id", String, nullable=False, unique=True),
)

usage = Table(
    "usage",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("session", String, nullable=False, index=True),
    Column("turn", Integer, nullable=False),
    Column("model", String, nullable=False),
    Column("input", Integer, nullable=False),
    Column("cache_read", Integer, nullable=False),
    Column("cache_write", Integer, nullable=False),
    Column("cache_write_1h", Integer, nullable=False),
    Column("output", Integer, nullable=False),
    Column("at", Float, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("kind", String, nullable=False, index=True),
    Column("session", String, nullable=False, index=True),
    Column("detail", String, nullable=False),
    Column("at", Float, nullable=False),
)

_FIRST = """
CREATE TABLE decisions (
    number INTEGER NOT NULL PRIMARY KEY,
    session VARCHAR NOT NULL,
    call_id BLOB NOT NULL,
    content_id VARCHAR NOT NULL,
    emitted_id VARCHAR NOT NULL,
    text BLOB,
    handle VARCHAR NOT NULL,
    spans VARCHAR NOT NULL,
    rules VARCHAR NOT NULL,
    refs VARCHAR NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after INTEGER NOT NULL,
    at FLOAT NOT NULL
);
CREATE UNIQUE INDEX decisions_key ON decisions (session, content_id, call_id);
CREATE INDEX ix_decisions_emitted_id ON decisions (emitted_id);
CREATE TABLE handles (
    handle VARCHAR NOT NULL PRIMARY KEY,
    content_id VARCHAR NOT NULL UNIQUE
);
CREATE TABLE usage (
    number INTEGER NOT NULL PRIMARY KEY,
    session VARCHAR NOT NULL,
    turn INTEGER NOT NULL,
    model VARCHAR NOT NULL,
    input INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cache_write_1h INTEGER NOT NULL,
    output INTEGER NOT NULL,
    at FLOAT NOT NULL
);
CREATE INDEX ix_usage_session ON usage (session);
CREATE TABLE events (
    number INTEGER NOT NULL PRIMARY KEY,
    kind VARCHAR NOT NULL,
    session VARCHAR NOT NULL,
    detail VARCHAR NOT NULL,
    at FLOAT NOT NULL
);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_events_session ON events (session)
"""


def _first(connection: Connection) -> None:
    for statement in _FIRST.split(";"):
        connection.exec_driver_sql(statement)


def _second(connection: Connection) -> None:
    connection.exec_driver_sql("CREATE INDEX ix_decisions_handle ON decisions (handle)")


MIGRATIONS: tuple[Migration, ...] = (_first, _second)
"""Append only: released steps never change, since databases out there have taken them."""
