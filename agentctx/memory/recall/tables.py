"""The tables of the search index; all of them can be made again from git.

The engine is that of `db.py`, but no write waits for the disk: a commit has to be searchable within
5 ms, and what a power cut may damage is noticed and rebuilt.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from agentctx import db
from agentctx.memory.recall.terms import Text
from agentctx.memory.records import Commit

VERSION = 1
CANDIDATES = 256
"""Of more records that fit, only the newest are ranked: so a word that all have costs no more."""

_WORDS = "tokenize = 'porter unicode61 remove_diacritics 2'"
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS seen (hash TEXT PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS tips (name TEXT PRIMARY KEY, hash TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS records (number INTEGER PRIMARY KEY AUTOINCREMENT, "
    "id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, branch TEXT NOT NULL, title TEXT NOT NULL, "
    "trust INTEGER NOT NULL, held INTEGER NOT NULL, trusted INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX IF NOT EXISTS records_hash ON records (hash)",
    "CREATE INDEX IF NOT EXISTS records_trusted ON records (trusted) WHERE trusted",
    f"CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5 (title, said, around, {_WORDS})",
    f"CREATE VIRTUAL TABLE IF NOT EXISTS logs USING fts5 (log, {_WORDS})",
    f"PRAGMA user_version = {VERSION}",
)
_RANKED = """
SELECT number FROM (
    SELECT {table}.rowid AS number, {score} AS score
    FROM {table} JOIN records ON records.number = {table}.rowid
    WHERE {table} MATCH ? AND (? IS NULL OR records.branch = ?)
    ORDER BY {table}.rowid DESC LIMIT ?)
ORDER BY score, number DESC LIMIT ?"""
_RANKINGS = tuple(
    _RANKED.format(table=table, score=score)
    for table, score in (("texts", "bm25(texts, 8.0, 4.0, 1.0)"), ("logs", "bm25(logs)"))
)
_REMOVE = (
    "DELETE FROM texts WHERE rowid = ?",
    "DELETE FROM logs WHERE rowid = ?",
    "DELETE FROM records WHERE number = ?",
)
_SHOWN = """
SELECT number, id, branch, records.title, said, around, log, max(trust, trusted * 3),
    held AND NOT trusted
FROM records JOIN texts ON texts.rowid = number JOIN logs ON logs.rowid = number
WHERE number IN (SELECT value FROM json_each(?))"""


def engine(path: Path) -> Engine:
    """Return an engine for the index at a path, its tables made.

    Raises:
        LedgerError: it cannot be used.
    """
    made = db.engine(path, durable=False)

    @event.listens_for(made, "connect")
    def connect(connection: sqlite3.Connection, record: Any) -> None:
        connection.execute("PRAGMA synchronous = OFF")
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete":
            connection.execute("PRAGMA journal_mode = TRUNCATE")  # spares making a file each time
        connection.execute("PRAGMA secure_delete = ON")

    with db.reading(made) as connection:
        version = connection.exec_driver_sql("PRAGMA user_version").scalar()
    if version != VERSION:
        with db.writing(made) as connection:
            for statement in _SCHEMA:
                connection.exec_driver_sql(statement)
    return made


def tips(connection: Connection) -> dict[str, str]:
    """Return the commits up to which all is indexed, by the name of their branch."""
    found = connection.exec_driver_sql("SELECT name, hash FROM tips")
    return {row[0]: row[1] for row in found}


def knows(connection: Connection, hash: str) -> bool:
    """Tell whether a git commit, and so all before it, is indexed."""
    found = connection.exec_driver_sql("SELECT 1 FROM seen WHERE hash = ?", (hash,))
    return found.scalar() is not None


def add(connection: Connection, hash: str, commit: Commit | None, text: Text | None) -> None:
    """Index the record of a git commit, if it has one and no other process was faster."""
    fresh = connection.exec_driver_sql("INSERT OR IGNORE INTO seen VALUES (?)", (hash,)).rowcount
    if not fresh or commit is None or text is None:
        return
    remove(connection, [commit.id])
    row = (commit.id, hash, commit.branch, commit.title, int(commit.trust), commit.quarantined)
    number = connection.exec_driver_sql(
        "INSERT INTO records (id, hash, branch, title, trust, held) VALUES (?, ?, ?, ?, ?, ?)", row
    ).lastrowid
    connection.exec_driver_sql(
        "INSERT INTO texts (rowid, title, said, around) VALUES (?, ?, ?, ?)",
        (number, text.title, text.said, text.around),
    )
    connection.exec_driver_sql("INSERT INTO logs (rowid, log) VALUES (?, ?)", (number, text.log))


def remove(connection: Connection, ids: Iterable[str]) -> None:
    """Take records out."""
    for id in ids:
        found = connection.exec_driver_sql("SELECT number FROM records WHERE id = ?", (id,))
        if (number := found.scalar()) is not None:
            for statement in _REMOVE:
                connection.exec_driver_sql(statement, (number,))


def prune(connection: Connection, reachable: set[str]) -> None:
    """Take out the records of all git commits but these."""
    for (hash,) in connection.exec_driver_sql("SELECT hash FROM seen").fetchall():
        if hash not in reachable:
            found = connection.exec_driver_sql("SELECT id FROM records WHERE hash = ?", (hash,))
            remove(connection, [id for (id,) in found.fetchall()])
            connection.exec_driver_sql("DELETE FROM seen WHERE hash = ?", (hash,))


def settle(connection: Connection, now: Mapping[str, str], trusted: Iterable[str]) -> None:
    """Note up to where all is indexed, and which records a person has trusted."""
    connection.exec_driver_sql("DELETE FROM tips")
    for pair in now.items():
        connection.exec_driver_sql("INSERT INTO tips VALUES (?, ?)", pair)
    connection.exec_driver_sql("UPDATE records SET trusted = 0 WHERE trusted")
    for id in trusted:
        connection.exec_driver_sql("UPDATE records SET trusted = 1 WHERE id = ?", (id,))


def find(
    connection: Connection, expression: str, limit: int, branch: str | None
) -> Sequence[Sequence[Any]]:
    """Return what fits an FTS5 expression, best first; what fits by its steps only comes last.

    Each is id, branch, title, three texts, trust, and whether it is held back.
    """
    numbers: dict[int, None] = {}
    for ranking in _RANKINGS:
        if len(numbers) < limit:
            given = (expression, branch, branch, max(limit, CANDIDATES), limit)
            ranked = connection.exec_driver_sql(ranking, given)
            numbers |= dict.fromkeys(row[0] for row in ranked.fetchall())
    best = list(numbers)[:limit]
    shown = connection.exec_driver_sql(_SHOWN, (json.dumps(best),)).fetchall()
    rows = {number: row for number, *row in shown}
    return [rows[number] for number in best if number in rows]


def shred(source: Engine) -> None:
    """Overwrite what was taken out, so that the file holds nothing of it.

    Raises:
        LedgerError: the index cannot be used.
    """
    with db.writing(source) as connection:
        connection.exec_driver_sql("INSERT INTO texts (texts) VALUES ('optimize')")
        connection.exec_driver_sql("INSERT INTO logs (logs) VALUES ('optimize')")
    with db.reading(source) as connection:
        connection.exec_driver_sql("COMMIT")  # no transaction may be open
        connection.exec_driver_sql("VACUUM")
        connection.exec_driver_sql("BEGIN")
