"""The sums over a ledger that `agentctx stats` shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from agentctx.events import EXPAND
from agentctx.schema import decisions, events, usage
from agentctx.values import Usage

_USAGE = tuple(field.name for field in fields(Usage))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Sums over one session or all: observations decided and reduced, their tokens, usage."""

    sessions: int
    observations: int
    reduced: int
    tokens_before: int
    tokens_after: int
    calls: int
    usage: Usage
    models: Mapping[str, Usage]
    expanded: int


def totals(connection: Connection, session: str | None) -> Stats:
    """Return the sums over a session, or over all."""
    models = _models(connection, session)
    return Stats(
        **_decided(connection, session),
        calls=sum(count for count, _ in models.values()),
        usage=_total([spent for _, spent in models.values()]),
        models={model: spent for model, (_, spent) in models.items()},
        expanded=_expanded(connection, session),
    )


def usage_of(row: Any) -> Usage:
    """Read the tokens of a row."""
    return Usage(**{name: getattr(row, name) for name in _USAGE})


def _of(table: sa.Table, session: str | None) -> sa.ColumnElement[bool]:
    return sa.true() if session is None else table.c.session == session


def _decided(connection: Connection, session: str | None) -> dict[str, int]:
    c, sums = decisions.c, sa.func.sum
    chosen = sa.select(
        sa.func.count(c.session.distinct()).label("sessions"),
        sa.func.count().label("observations"),
        sa.func.count(c.text).label("reduced"),
        sa.func.coalesce(sums(c.tokens_before), 0).label("tokens_before"),
        sa.func.coalesce(sums(c.tokens_after), 0).label("tokens_after"),
    ).where(_of(decisions, session))
    return dict(connection.execute(chosen).mappings().one())


def _models(connection: Connection, session: str | None) -> dict[str, tuple[int, Usage]]:
    sums = [sa.func.sum(usage.c[name]).label(name) for name in _USAGE]
    chosen = sa.select(usage.c.model, sa.func.count().label("calls"), *sums)
    rows = connection.execute(chosen.where(_of(usage, session)).group_by(usage.c.model))
    return {row.model: (row.calls, usage_of(row)) for row in rows}


def _total(usages: list[Usage]) -> Usage:
    return Usage(**{name: sum(getattr(spent, name) for spent in usages) for name in _USAGE})


def _expanded(connection: Connection, session: str | None) -> int:
    chosen = sa.select(sa.func.count()).where(events.c.kind == EXPAND, _of(events, session))
    return connection.scalar(chosen) or 0
