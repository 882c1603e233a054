from __future__ import annotations

from pathlib import Path

from tests.processes import mounts, on_small_disk, posix, run

_FILL = """
    import json, os, sys
    from agentctx import db
    from agentctx.errors import LedgerError
    engine = db.engine(sys.argv[1] + "/state.db")
    db.migrate(engine, [lambda c: c.exec_driver_sql("CREATE TABLE t (b BLOB)")], "test")
    if len(sys.argv) > 2:
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
    try:
        for _ in range(100):
            with db.writing(engine) as connection:
                connection.exec_driver_sql("INSERT INTO t VALUES (?)", (os.urandom(50_000),))
    except LedgerError as error:
        with db.reading(engine) as connection:
            print(json.dumps([str(error), connection.exec_driver_sql("PRAGMA quick_check").scalar()]))
"""


@posix
def test_a_file_size_limit_is_told_in_one_line_and_damages_nothing(tmp_path: Path) -> None:
    message, check = run(_FILL, tmp_path, 500_000)
    assert message.startswith("cannot use ")
    assert "free some disk space" in message
    assert "\n" not in message
    assert check == "ok"


@mounts
def test_a_full_disk_is_told_in_one_line_and_damages_nothing(tmp_path: Path) -> None:
    message, check = on_small_disk(_FILL, "1m", tmp_path)
    assert message.endswith("free some disk space")
    assert check == "ok"


@mounts
def test_a_read_only_disk_is_told_in_one_line(tmp_path: Path) -> None:
    script = """
        import json, subprocess, sys
        from agentctx import db
        from agentctx.errors import LedgerError
        def write():
            with db.writing(engine) as connection:
                connection.exec_driver_sql("INSERT INTO t VALUES (1)")
        file, told = sys.argv[1] + "/state.db", []
        engine = db.engine(file)
        with db.writing(engine) as connection:
            connection.exec_driver_sql("CREATE TABLE t (n INTEGER)")
        engine.dispose()
        subprocess.run(["mount", "-o", "remount,ro", sys.argv[1]], check=True)
        for attempt in (lambda: db.engine(file), write):
            try:
                attempt()
            except LedgerError as error:
                told.append(str(error))
        print(json.dumps(told))
    """
    opening, writing = on_small_disk(script, "1m", tmp_path)
    assert "Read-only file system: let this user write there" in opening
    assert "let this user write there" in writing
