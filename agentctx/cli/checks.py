"""The checks of `agentctx doctor`; none of them makes or changes anything that stays."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agentctx.config import Settings
from agentctx.stores import ARCHIVE, LEDGER, Stores

_MENDED = "3.51.3, 3.50.7 or 3.44.6"


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found; a remedy on a check that is ok is advice."""

    name: str
    found: str
    remedy: str = ""
    ok: bool = True


class Place:
    """Where the checks look."""

    def __init__(self, settings: Settings) -> None:
        """Look at what these settings name."""
        self.settings, self.data = settings, settings.data
        self.stores = Stores(settings)


def python(place: Place) -> Check:
    """Say which interpreter this is."""
    return Check("python", f"{sys.version.split()[0]} at {sys.executable}")


def sqlite(place: Place) -> Check:
    """Check the SQLite library, and which journal it may use."""
    import sqlite3

    from agentctx.db import journal_mode

    mode = journal_mode(sqlite3.sqlite_version_info)
    found = f"{sqlite3.sqlite_version}, {mode} journal"
    if mode == "WAL":
        return Check("sqlite", found)
    return Check("sqlite", found, f"works; SQLite {_MENDED} or later writes faster")


def folder(place: Place) -> Check:
    """Check the data folder: there, private, writable."""
    data = place.data
    if not data.is_dir():
        return Check("data folder", f"{data} is not made yet", "agentctx init, or just begin")
    if os.name == "posix" and stat.S_IMODE(data.stat().st_mode) & 0o077:
        return Check("data folder", f"{data} is open to others", f"chmod 700 {data}", ok=False)
    try:
        with tempfile.TemporaryFile(dir=data):
            pass
    except OSError as error:
        remedy = "let this user write there, or set AGENTCTX_DATA to another folder"
        return Check("data folder", f"{data}: {error.strerror}", remedy, ok=False)
    free = shutil.disk_usage(data).free
    found = f"{data}, {free / 1e9:.1f} GB free"
    if free < 1e8:
        return Check("data folder", found, "free some disk space", ok=False)
    return Check("data folder", found)


def archive(place: Place) -> Check:
    """Re-hash every original."""
    root = place.data / ARCHIVE
    if not root.is_dir():
        return Check("archive", "empty")
    damaged = list(place.stores.archive.verify())
    if damaged:
        found = f"{len(damaged)} damaged: {damaged[0].id[:12]}: {damaged[0].reason}"
        return Check("archive", found, "remove those files; run their commands again", ok=False)
    sums = place.stores.archive.stats()
    found = f"{sums.originals} originals, {sums.size:,} bytes ({sums.stored:,} on disk), all sound"
    return Check("archive", found)


def ledger(place: Place) -> Check:
    """Read the ledger."""
    if not (place.data / LEDGER).exists():
        return Check("ledger", "empty")
    sums = place.stores.ledger.stats()
    return Check("ledger", f"{sums.observations} observations, {sums.calls} model calls")


def tokenizer(place: Place) -> Check:
    """Count tokens without a network."""
    from agentctx.tokens import counter

    for model in ("gpt-5", "gpt-4"):
        counter(model).count("offline")
    return Check("tokenizer", "o200k and cl100k are here, no network needed")


def prices(place: Place) -> Check:
    """Look the models of the ledger up."""
    from agentctx.prices import price

    models: list[str] = []
    if (place.data / LEDGER).exists():
        models = [model for model in place.stores.ledger.stats().models if model]
    unknown = [m for m in models if not price(m, place.settings.prices).known]
    if unknown:
        remedy = f'set [prices."{unknown[0]}"] in agentctx.toml'
        return Check("prices", f"unknown: {', '.join(unknown)}", remedy)
    return Check("prices", price("gpt-5").source.partition(":")[0])


def redaction(place: Place) -> Check:
    """Take a secret out of a text, with the key of the data folder."""
    from agentctx.secrets import key
    from agentctx.secrets.redactor import DefaultRedactor

    path = place.data / key.FILE
    secret = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT" + "1vW4xY7zA0bC3dE6"
    bytes_ = key.load(place.data) if path.exists() else bytes(key.SIZE)
    if secret in DefaultRedactor(bytes_, {}).redact(f"token {secret}"):
        return Check("redaction", "a GitHub token came through", "file this as a bug", ok=False)
    return Check("redaction", f"works, key in {path}" if path.exists() else "works, no key yet")


def git(place: Place) -> Check:
    """Look for git."""
    program = shutil.which("git")
    if not program:
        return Check("git", "not found", "memory will need it: install git")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return Check("git", version.stdout.strip())


def memory(place: Place) -> Check:
    """Open the memory and look at its objects; say what it is read and carried with."""
    from itertools import islice

    import pygit2

    library = f"libgit2 {pygit2.LIBGIT2_VERSION}"
    if not (place.data / "memory.git").is_dir():
        return Check("memory", f"empty; {library}")
    from agentctx.memory.store import Store

    with Store(place.data) as store:
        wrong = list(islice(store.verify(), 1))
        branches = f"{len(store.branches())} branches, {len(store.archived())} archived"
    if wrong:
        return Check("memory", wrong[0], "agentctx memory verify says all of it", ok=False)
    remedy = "" if shutil.which("git") else "install git to push, pull and clone it"
    return Check("memory", f"{branches}, all sound; {library}", remedy)


def rules(place: Place) -> Check:
    """Read the packs of rules."""
    from agentctx.errors import RuleError
    from agentctx.stores import RULES
    from agentctx.terminal.rules import overlay, pack

    refused: list[RuleError] = []
    found = pack.known(place.data / RULES, refused.append)
    try:
        found = overlay.laid_over(place.stores.overlay, found)
    except RuleError as error:
        refused.append(error)
    if refused:
        return Check("rules", str(refused[0]), "mend that file; it is left out", ok=False)
    state = "" if place.settings.ruled else ", switched off"
    return Check("rules", f"{len(found)} rules{state}; agentctx rules test proves them")


def pool(place: Place) -> Check:
    """Reach the database of the pool of rules, if it is there."""
    from agentctx import db
    from agentctx.errors import LedgerError

    where = place.stores.pool_place
    if isinstance(where, Path) and not where.exists():
        return Check("pool of rules", f"{where} is not made yet")
    try:
        engine = db.engine(where)
        with db.reading(engine):
            pass
        engine.dispose()
    except LedgerError as error:
        return Check("pool of rules", str(error), "set AGENTCTX_POOL_URL to another", ok=False)
    return Check("pool of rules", str(where) if isinstance(where, Path) else "a database, reached")


def pipes(place: Place) -> Check:
    """See whether `exec` can tell who reads it."""
    if sys.platform.startswith("linux") and Path("/proc/self/fd").is_dir():
        return Check("exec", "reduces what a host captures; tells pipelines apart")
    remedy = "set AGENTCTX_EXEC=reduce in the agent's environment"
    return Check("exec", "cannot tell who reads a pipe here, so changes nothing", remedy)


CHECKS: dict[str, Callable[[Place], Check]] = {
    "python": python,
    "sqlite": sqlite,
    "data folder": folder,
    "archive": archive,
    "ledger": ledger,
    "tokenizer": tokenizer,
    "prices": prices,
    "redaction": redaction,
    "git": git,
    "memory": memory,
    "rules": rules,
    "pool of rules": pool,
    "exec": pipes,
}
