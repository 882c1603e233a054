from __future__ import annotations

import os
import sqlite3
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from agentctx import db
from agentctx.errors import LedgerError
from tests.processes import posix, together


def counter(connection: Connection) -> None:
    connection.exec_driver_sql("CREATE TABLE counter (n INTEGER)")
    connection.exec_driver_sql("INSERT INTO counter VALUES (0)")


def broken(connection: Connection) -> None:
    connection.exec_driver_sql("CREATE TABLE half (n INTEGER)")
    raise RuntimeError("stopped half-way")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "state.db"


@pytest.fixture
def engine(file: Path) -> Engine:
    made = db.engine(file)
    db.migrate(made, [counter], "test")
    return made


def value(engine: Engine, statement: str) -> Any:
    with db.reading(engine) as connection:
        return connection.exec_driver_sql(statement).scalar()


@pytest.mark.parametrize(
    ("version", "mode"),
    [
        ((3, 40, 1), "DELETE"),
        ((3, 44, 5), "DELETE"),
        ((3, 44, 6), "WAL"),
        ((3, 45, 0), "DELETE"),
        ((3, 50, 6), "DELETE"),
        ((3, 50, 7), "WAL"),
        ((3, 51, 0), "DELETE"),
        ((3, 51, 2), "DELETE"),
        ((3, 51, 3), "WAL"),
        ((3, 53, 0), "WAL"),
        ((4, 0, 0), "WAL"),
    ],
)
def test_wal_is_for_libraries_without_its_reset_race(version: tuple[int, ...], mode: str) -> None:
    assert db.journal_mode(version) == mode


def test_connections_follow_the_house_rules(engine: Engine, file: Path) -> None:
    assert value(engine, "PRAGMA foreign_keys") == 1
    assert value(engine, "PRAGMA busy_timeout") == 10_000
    assert value(engine, "PRAGMA synchronous") == 2
    assert value(db.engine(file, durable=False), "PRAGMA synchronous") == 1
    expected = db.journal_mode(sqlite3.sqlite_version_info).lower()
    assert value(engine, "PRAGMA journal_mode") == expected


def test_a_file_left_in_another_journal_mode_is_changed(file: Path) -> None:
    file.parent.mkdir()
    wanted = db.journal_mode(sqlite3.sqlite_version_info)
    other = "DELETE" if wanted == "WAL" else "WAL"
    with sqlite3.connect(file) as connection:
        connection.execute(f"PRAGMA journal_mode = {other}")
        connection.execute("CREATE TABLE t (n)")
    connection.close()
    assert value(db.engine(file), "PRAGMA journal_mode") == wanted.lower()


@posix
def test_the_file_and_its_folder_are_private_whatever_the_umask(file: Path) -> None:
    before = os.umask(0)
    try:
        db.migrate(db.engine(file), [counter], "test")
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_what_fails_is_rolled_back(engine: Engine) -> None:
    def fail() -> None:
        with db.writing(engine) as connection:
            connection.exec_driver_sql("UPDATE counter SET n = 7")
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        fail()
    assert value(engine, "SELECT n FROM counter") == 0


def test_readers_do_not_wait_for_a_writer(engine: Engine) -> None:
    with db.writing(engine) as connection:
        connection.exec_driver_sql("UPDATE counter SET n = 7")
        reader = threading.Thread(
            target=lambda: seen.append(value(engine, "SELECT n FROM counter"))
        )
        seen: list[int] = []
        reader.start()
        reader.join(timeout=5)
        assert seen == [0]
    assert value(engine, "SELECT n FROM counter") == 7


@pytest.mark.parametrize(
    ("processes", "times"), [(4, 25), pytest.param(8, 100, marks=pytest.mark.long)]
)
def test_increments_of_many_processes_are_all_there(
    engine: Engine, file: Path, processes: int, times: int
) -> None:
    script = """
        import sys
        from agentctx import db
        engine = db.engine(sys.argv[1])
        for _ in range(int(sys.argv[2])):
            with db.writing(engine) as connection:
                n = connection.exec_driver_sql("SELECT n FROM counter").scalar()
                connection.exec_driver_sql("UPDATE counter SET n = ?", (n + 1,))
    """
    together(processes, script, file, times)
    assert value(engine, "SELECT n FROM counter") == processes * times


@posix
def test_an_engine_goes_on_working_after_a_fork(engine: Engine) -> None:
    assert value(engine, "SELECT n FROM counter") == 0
    child = os.fork()
    if not child:
        with db.writing(engine) as connection:
            connection.exec_driver_sql("UPDATE counter SET n = n + 1")
        os._exit(0)
    with db.writing(engine) as connection:
        connection.exec_driver_sql("UPDATE counter SET n = n + 1")
    assert os.waitpid(child, 0)[1] == 0
    assert value(engine, "SELECT n FROM counter") == 2


def test_migrations_run_once_and_in_order(engine: Engine) -> None:
    def ten(connection: Connection) -> None:
        connection.exec_driver_sql("UPDATE counter SET n = n + 10")

    def double(connection: Connection) -> None:
        connection.exec_driver_sql("UPDATE counter SET n = n * 2")

    for _ in range(2):
        db.migrate(engine, [counter, ten, double], "test")
    assert value(engine, "SELECT n FROM counter") == 20
    db.migrate(engine, [ten], "another schema in the same file")
    assert value(engine, "SELECT n FROM counter") == 30


def test_a_migration_that_fails_leaves_nothing_and_can_be_tried_again(engine: Engine) -> None:
    with pytest.raises(RuntimeError, match="half-way"):
        db.migrate(engine, [counter, broken], "test")
    assert value(engine, "SELECT max(number) FROM migrations") == 1
    assert value(engine, "SELECT count(*) FROM sqlite_master WHERE name = 'half'") == 0
    db.migrate(engine, [counter, lambda connection: None], "test")
    assert value(engine, "SELECT max(number) FROM migrations") == 2


def test_processes_that_start_at_once_migrate_once(file: Path) -> None:
    script = """
        import sys
        from agentctx import db
        def create(connection): connection.exec_driver_sql("CREATE TABLE t (n INTEGER)")
        def insert(connection): connection.exec_driver_sql("INSERT INTO t VALUES (1)")
        db.migrate(db.engine(sys.argv[1]), [create, insert, insert], "test")
    """
    together(4, script, file)
    assert value(db.engine(file), "SELECT count(*) FROM t") == 2


def test_a_database_newer_than_the_code_is_refused_with_a_remedy(engine: Engine) -> None:
    with pytest.raises(LedgerError, match=r"has version 1 of 'test'.* knows 0: upgrade agentctx"):
        db.migrate(engine, [], "test")


@pytest.mark.parametrize("content", [b"not a database at all" * 100, os.urandom(8192)])
def test_a_file_that_is_no_database_is_told_in_one_line(file: Path, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(LedgerError, match="move it away, the originals are safe") as caught:
        db.migrate(db.engine(file), [counter], "test")
    assert "\n" not in str(caught.value)
    assert file.read_bytes() == content


def test_a_damaged_page_is_told_in_one_line(engine: Engine, file: Path) -> None:
    with db.writing(engine) as connection:
        for number in range(2000):
            connection.exec_driver_sql("INSERT INTO counter VALUES (?)", (number,))
    engine.dispose()
    content = bytearray(file.read_bytes())
    content[8192:] = b"\xa5" * (len(content) - 8192)
    file.write_bytes(content)
    with pytest.raises(LedgerError, match="malformed: move it away"):
        value(db.engine(file), "SELECT sum(n) FROM counter")


def test_a_path_that_cannot_be_a_file_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"cannot open .*: .*, or choose another") as caught:
        db.engine(tmp_path)
    assert "\n" not in str(caught.value)
    (tmp_path / "file").touch()
    with pytest.raises(LedgerError, match="Not a directory"):
        db.engine(tmp_path / "file" / "state.db")


def test_a_url_without_driver_is_refused_and_keeps_its_password(tmp_path: Path) -> None:
    for url in ("nonsense://user:hunter2@host/x", "sqlite+nothing:///x", "://"):
        with pytest.raises(LedgerError, match="no driver for a") as caught:
            db.engine(url)
        assert "hunter2" not in str(caught.value)


def test_a_lock_held_too_long_is_told_in_one_line(engine: Engine, file: Path) -> None:
    other = db.engine(file)
    event.listen(other, "connect", lambda raw, _: raw.execute("PRAGMA busy_timeout = 20"))
    with db.writing(engine) as connection:
        connection.exec_driver_sql("UPDATE counter SET n = 1")
        with pytest.raises(LedgerError, match="locked: another process holds it, try again"):
            db.migrate(other, [counter, counter], "test")
