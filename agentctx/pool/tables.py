"""The tables of the pool, and the numbered steps that lead to them; on SQLite and PostgreSQL."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Connection, Float, Integer, MetaData, String, Table, Text

from agentctx.db import Migration
from agentctx.pool.outcome import COUNTS

metadata = MetaData()

rules = Table(
    "pool_rules",
    metadata,
    Column("rule_id", String, primary_key=True),
    Column("scope", String, nullable=False, index=True),
    Column("status", String, nullable=False),
    Column("body", Text, nullable=False),
    Column("digest", String, nullable=False),
    Column("parent", String, nullable=False),
    Column("evidence", Text, nullable=False),
)

outcomes = Table(
    "pool_outcomes",
    metadata,
    Column("rule_id", String, primary_key=True),
    Column("scope", String, primary_key=True),
    *(Column(name, BigInteger, nullable=False) for name in COUNTS),
)

changes = Table(
    "pool_changes",
    metadata,
    Column("rule_id", String, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("status", String, nullable=False),
    Column("why", Text, nullable=False),
    Column("at", Float, nullable=False),
)

sources = Table(
    "pool_sources",
    metadata,
    Column("source", String, primary_key=True),
    Column("mark", BigInteger, nullable=False),
)

switches = Table("pool_switches", metadata, Column("name", String, primary_key=True))

_FIRST = """
CREATE TABLE pool_rules (
    rule_id VARCHAR NOT NULL PRIMARY KEY,
    scope VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    body TEXT NOT NULL,
    digest VARCHAR NOT NULL,
    parent VARCHAR NOT NULL,
    evidence TEXT NOT NULL
);
CREATE INDEX ix_pool_rules_scope ON pool_rules (scope);
CREATE TABLE pool_outcomes (
    rule_id VARCHAR NOT NULL,
    scope VARCHAR NOT NULL,
    applied BIGINT NOT NULL,
    saved BIGINT NOT NULL,
    complained BIGINT NOT NULL,
    released BIGINT NOT NULL,
    PRIMARY KEY (rule_id, scope)
);
CREATE TABLE pool_changes (
    rule_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,
    status VARCHAR NOT NULL,
    why TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (rule_id, number)
);
CREATE TABLE pool_sources (
    source VARCHAR NOT NULL PRIMARY KEY,
    mark BIGINT NOT NULL
);
CREATE TABLE pool_switches (name VARCHAR NOT NULL PRIMARY KEY)
"""


def _first(connection: Connection) -> None:
    for statement in _FIRST.split(";"):
        connection.execute(sa.text(statement))


MIGRATIONS: tuple[Migration, ...] = (_first,)
"""Append only: released steps never change, since databases out there have taken them."""
