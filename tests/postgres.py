"""A PostgreSQL server of the tests' own, which ends with them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

GIVEN = "AGENTCTX_TEST_POSTGRES"
_FAST = ["-c", "fsync=off", "-c", "max_connections=200", "-c", "listen_addresses="]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Yield the URL of a server: the one that is given, or a new one on a socket in a folder."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    if given := os.environ.get(GIVEN):
        yield given
        return
    programs = _programs()
    if programs is None:
        pytest.skip(f"no PostgreSQL here: apt install postgresql, or set {GIVEN}")
    with _server(programs) as url:
        yield url


@pytest.fixture
def database(postgres: str) -> Iterator[str]:
    """Yield the URL of a database that is new and empty."""
    import psycopg

    name = f"test_{uuid4().hex[:12]}"
    plain = postgres.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    head, _, options = postgres.partition("?")
    yield f"{head.rpartition('/')[0]}/{name}" + (f"?{options}" if options else "")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _programs() -> Path | None:
    """Return the folder with `initdb` and `postgres`."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


@contextmanager
def _server(programs: Path) -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # the path of a socket has to be short
    user = []
    if os.geteuid() == 0:  # which PostgreSQL refuses
        shutil.chown(folder, "nobody")
        user = ["setpriv", "--reuid=nobody", "--clear-groups"]
    data = folder / "data"
    made = [*user, programs / "initdb", "-D", data, "-U", "tests", "-A", "trust", "--no-sync"]
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
    command = [*user, programs / "postgres", "-D", data, "-k", folder, *_FAST]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    try:
        ready = [programs / "pg_isready", "-q", "-h", folder]
        while subprocess.run(ready).returncode:
            if server.poll() is not None:
                raise RuntimeError((folder / "log").read_text())
        yield f"postgresql+psycopg://tests@/postgres?host={folder}"
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)
