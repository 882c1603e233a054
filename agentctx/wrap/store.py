"""Where splices are kept: in the data folder, so that they survive a restart."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, Connection, Engine, Float, MetaData, String, Table
from sqlalchemy.dialects.sqlite import insert

from agentctx import db
from agentctx.errors import AgentctxError
from agentctx.stores import LEDGER, Stores
from agentctx.wrap.history import Splice

_metadata = MetaData()
_splices = Table(
    "splices",
    _metadata,
    Column("key", String, primary_key=True),
    Column("body", String, nullable=False),
    Column("at", Float, nullable=False),
)
_KEPT = 1_000
"""How many splices stay in memory, whether or not the disk takes them."""


def _create(connection: Connection) -> None:
    _metadata.create_all(connection)


class Splices:
    """Splices by key, the first for a key stands. A broken disk costs only their survival."""

    def __init__(self, stores: Stores) -> None:
        """Use the database of that data folder, opened when the first splice is looked for."""
        self._stores = stores
        self._known: dict[str, Splice] = {}
        self._lock = Lock()

    @cached_property
    def _engine(self) -> Engine:
        made = db.engine(self._stores.folder / LEDGER)
        db.migrate(made, [_create], "wrap")
        return made

    def put(self, key: str, splice: Splice) -> None:
        """Keep a splice."""
        with self._lock:
            self._remember({key: self._known.get(key, splice)})
            row = {"key": key, "body": json.dumps(asdict(splice)), "at": time.time()}
            try:
                with db.writing(self._engine) as connection:
                    connection.execute(insert(_splices).values(row).on_conflict_do_nothing())
            except AgentctxError as error:
                self._tell(error)

    def find(self, keys: Sequence[str]) -> dict[str, Splice]:
        """Return those splices that are known."""
        with self._lock:
            missing = [key for key in keys if key not in self._known]
            try:
                found = self._stored(missing)
            except AgentctxError as error:
                self._tell(error)
                found = {}
            known = {key: self._known[key] for key in keys if key in self._known}
            self._remember(found)
            return known | found

    def any(self) -> bool:
        """Say whether there is a splice at all."""
        with self._lock:
            if self._known:
                return True
            try:
                with db.reading(self._engine) as connection:
                    return connection.scalar(sa.select(_splices.c.key).limit(1)) is not None
            except AgentctxError as error:
                self._tell(error)
                return False

    def _stored(self, keys: Sequence[str]) -> dict[str, Splice]:
        found: dict[str, Splice] = {}
        with db.reading(self._engine) as connection:
            for some in db.batches(keys):
                for row in connection.execute(_splices.select().where(_splices.c.key.in_(some))):
                    found[row.key] = _splice(json.loads(row.body))
        return found

    def _remember(self, splices: dict[str, Splice]) -> None:
        self._known.update(splices)
        while len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]

    def _tell(self, error: AgentctxError) -> None:
        self._stores.tell("splice-failed", "", error=str(error))


def _splice(body: dict[str, Any]) -> Splice:
    return Splice(
        before=tuple(body["before"]),
        turn=tuple(body["turn"]),
        results=tuple(body["results"]),
        link=body["link"],
    )
