"""The one place where database engines are made, and their schemas brought up to date."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DisconnectionError, SQLAlchemyError

from agentctx.errors import LedgerError
from agentctx.files import private_folder, remedy

Migration: TypeAlias = Callable[[Connection], None]

BUSY_MS = 10_000
_BATCH = 500  # SQLite takes 999 variables a statement where it is old
_READ = {"agentctx_read": True}

_applied = sa.Table(
    "migrations",
    sa.MetaData(),
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
)


def engine(where: str | Path, *, durable: bool = True, patience_ms: int | None = None) -> Engine:
    """Return an engine for a database URL, or for the SQLite file at a path.

    Args:
        where: e.g. `Path(".agentctx/state.db")` or "postgresql+psycopg://…".
        durable: whether each commit waits for the disk (SQLite's `synchronous` FULL); without it
            (NORMAL) a power cut may take the last ones back.
        patience_ms: how long to wait for other processes that write to the same file.

    Raises:
        LedgerError: the file or its folder cannot be made, or no driver knows such a URL.
    """
    if "://" not in (text := str(where)):
        made = sa.create_engine(_file_url(Path(where)))
    else:
        try:
            made = _of_url(text)
        except (SQLAlchemyError, ImportError) as error:
            kind = text.partition("://")[0]  # what follows may hold a password
            raise LedgerError(
                f"no driver for a {kind!r} database: {error}: install one, or give a file"
            ) from error
    _guard_forks(made)
    if made.dialect.name == "sqlite":
        _set_up_sqlite(made, "FULL" if durable else "NORMAL", patience_ms)
    return made


@contextmanager
def reading(source: Engine) -> Iterator[Connection]:
    """Open a connection that takes no write lock."""
    with _translated(source), source.connect() as connection:
        yield connection.execution_options(**_READ)


@contextmanager
def writing(source: Engine) -> Iterator[Connection]:
    """Open a transaction that holds the write lock from its start, and commits at the end."""
    with _translated(source), source.begin() as connection:
        yield connection


def migrate(source: Engine, migrations: Sequence[Migration], name: str) -> None:
    """Apply those of `migrations` that the schema called `name` has not seen, in order.

    Each is applied and recorded in one transaction. Two processes may do this at once.

    Raises:
        LedgerError: a newer agentctx has written here, or the database cannot be used.
    """
    with reading(source) as connection:
        done = _version(connection, name)
    while done < len(migrations):
        with writing(source) as connection:
            alone(connection, "migrations")
            _applied.create(connection, checkfirst=True)
            done = _version(connection, name)
            if done < len(migrations):
                migrations[done](connection)
                record = {"name": name, "number": done + 1, "at": time.time()}
                connection.execute(_applied.insert().values(record))
                done += 1
    if done > len(migrations):
        raise LedgerError(
            f"{_label(source)} has version {done} of {name!r}, this agentctx knows "
            f"{len(migrations)}: upgrade agentctx, or move the file away"
        )


def alone(connection: Connection, what: str) -> None:
    """Wait until nobody else does what bears this name, and keep others off until the end."""
    if connection.dialect.name == "postgresql":  # SQLite's write lock is the whole database's
        name = sa.func.hashtext(f"agentctx {what}")
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(name)))


def batches(values: Iterable[str]) -> Iterator[list[str]]:
    """Return values, each once, in lists that are short enough for one statement."""
    unique = sorted(set(values))
    return (unique[start : start + _BATCH] for start in range(0, len(unique), _BATCH))


def journal_mode(version: tuple[int, ...]) -> str:
    """Return WAL for the SQLite libraries that are free of its reset race, else DELETE.

    Source: https://sqlite.org/wal.html, on the WAL-reset bug.
    """
    fixed = (
        version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)
    )
    return "WAL" if fixed else "DELETE"


def _version(connection: Connection, name: str) -> int:
    if not sa.inspect(connection).has_table(_applied.name):
        return 0
    newest = sa.select(sa.func.max(_applied.c.number)).where(_applied.c.name == name)
    return connection.execute(newest).scalar() or 0


def _file_url(path: Path) -> sa.URL:
    try:
        private_folder(path.absolute().parent)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise LedgerError(f"cannot open {str(path)!r}: {remedy(error)}") from error
    return sa.URL.create("sqlite", database=str(path))


def _of_url(url: str) -> Engine:
    """Return an engine; the driver is the one that the extra brings where the URL names none."""
    given = sa.make_url(url)
    if given.get_backend_name() not in ("postgres", "postgresql"):
        return sa.create_engine(given)
    if given.drivername in ("postgres", "postgresql"):
        given = given.set(drivername="postgresql+psycopg")
    return sa.create_engine(given, pool_pre_ping=True)


def _set_up_sqlite(made: Engine, synchronous: str, patience_ms: int | None) -> None:
    @event.listens_for(made, "connect")
    def connect(connection: sqlite3.Connection, _record: Any) -> None:
        connection.isolation_level = None  # `begin` below opens transactions, not the driver
        connection.execute(f"PRAGMA busy_timeout = {patience_ms or BUSY_MS}")
        wanted = journal_mode(sqlite3.sqlite_version_info)
        if connection.execute("PRAGMA journal_mode").fetchone()[0].upper() != wanted:
            with suppress(sqlite3.OperationalError):  # in use elsewhere: the next one changes it
                connection.execute(f"PRAGMA journal_mode = {wanted}")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(made, "begin")
    def begin(connection: Connection) -> None:
        read = connection.get_execution_options().get("agentctx_read")
        connection.exec_driver_sql("BEGIN" if read else "BEGIN IMMEDIATE")


def _guard_forks(made: Engine) -> None:
    """Let a child process open connections of its own: none survives a fork."""

    @event.listens_for(made, "connect")
    def connect(_connection: Any, record: Any) -> None:
        record.info["pid"] = os.getpid()

    @event.listens_for(made, "checkout")
    def checkout(_connection: Any, record: Any, proxy: Any) -> None:
        if record.info["pid"] != os.getpid():
            record.dbapi_connection = proxy.dbapi_connection = None
            raise DisconnectionError("opened by the parent process")


@contextmanager
def _translated(source: Engine) -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        raise LedgerError(f"cannot use {_label(source)}: {_reason(error)}") from error
    except (UnicodeError, OverflowError) as error:
        raise LedgerError(
            f"a value cannot pass to or from {_label(source)}: {error}: leave it out"
        ) from error


def _label(source: Engine) -> str:
    url = source.url
    return repr(url.database if url.get_backend_name() == "sqlite" else url.render_as_string())


def _reason(error: SQLAlchemyError) -> str:
    cause = getattr(error, "orig", None)
    code = (getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF
    return f"{' '.join(str(cause or error).split())}: {_REMEDIES.get(code, 'check that database')}"


_REMEDIES = {
    sqlite3.SQLITE_FULL: "free some disk space",
    sqlite3.SQLITE_IOERR: "free some disk space and check the disk",
    sqlite3.SQLITE_READONLY: "let this user write there, or choose another data folder",
    sqlite3.SQLITE_CANTOPEN: "let this user write there, or choose another data folder",
    sqlite3.SQLITE_PERM: "let this user write there, or choose another data folder",
    sqlite3.SQLITE_BUSY: "another process holds it, try again when that is done",
    sqlite3.SQLITE_CORRUPT: "move it away, the originals are safe in the archive",
    sqlite3.SQLITE_NOTADB: "move it away, the originals are safe in the archive",
}
