"""What was decided, spent and seen: the facts that outlive a process."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Engine
from sqlalchemy.dialects.sqlite import insert

from agentctx import db
from agentctx.decision import Decision, Key
from agentctx.errors import LedgerError
from agentctx.events import Event
from agentctx.schema import MIGRATIONS, decisions, events, handles, usage
from agentctx.totals import Stats, totals, usage_of
from agentctx.values import Usage

__all__ = ["Call", "Decision", "Key", "Ledger", "Stats"]

_BATCH = 500  # ids per query; SQLite takes 999 variables at least
_SHORTEST_HANDLE = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One model call and the tokens that it took."""

    session: str
    turn: int
    model: str
    usage: Usage


class Ledger:
    """Decisions, handles, usage and events in one SQLite database that processes may share."""

    def __init__(self, where: Engine | str | Path, *, durable: bool = True) -> None:
        """Open the ledger, with its tables brought up to date.

        Args:
            where: an engine of `db.engine`, or the path of the file.
            durable: see `db.engine`; of no effect for an engine.

        Raises:
            LedgerError: the database is damaged, too new, or cannot be written.
        """
        self._engine = where if isinstance(where, Engine) else db.engine(where, durable=durable)
        db.migrate(self._engine, MIGRATIONS, "ledger")

    def close(self) -> None:
        """Close its connections; the ledger opens new ones when it is used again."""
        self._engine.dispose()

    def find(self, session: str, keys: Collection[Key]) -> dict[Key, Decision]:
        """Return those decisions of a session that are known, by (call id, content id)."""
        if not keys:
            return {}
        with db.reading(self._engine) as connection:
            return _find(connection, session, keys)

    def decide(self, decision: Decision) -> Decision:
        """Store a decision unless its key has one; return the one that stands."""
        return self.decide_all([decision])[0]

    def decide_all(self, made: Sequence[Decision]) -> tuple[Decision, ...]:
        """Do as `decide` for each, all in one transaction."""
        if not made:
            return ()
        store = insert(decisions).on_conflict_do_nothing()
        standing: dict[tuple[str, Key], Decision] = {}
        with db.writing(self._engine) as connection:
            connection.execute(store, [decision.columns() for decision in made])
            for session in {decision.session for decision in made}:
                keys = [decision.key for decision in made if decision.session == session]
                found = _find(connection, session, keys)
                standing |= {(session, key): winner for key, winner in found.items()}
        return tuple(standing[decision.session, decision.key] for decision in made)

    def emitted(self, ids: Iterable[str]) -> set[str]:
        """Return those content ids that some decision has put in the place of an original."""
        column = decisions.c.emitted_id
        with db.reading(self._engine) as connection:
            return {
                known
                for some in db.batches(ids)
                for known in connection.scalars(
                    sa.select(column).where(column.in_(some), decisions.c.text.is_not(None))
                )
            }

    def decisions(self, session: str) -> tuple[Decision, ...]:
        """Return all decisions of a session in the order in which they came."""
        chosen = decisions.select().where(decisions.c.session == session)
        with db.reading(self._engine) as connection:
            return tuple(map(Decision.of, connection.execute(chosen.order_by(decisions.c.number))))

    def reduced(self, handle: str) -> Decision | None:
        """Return the newest decision that hid lines behind a handle."""
        chosen = decisions.select().where(decisions.c.handle == handle)
        newest = chosen.order_by(decisions.c.number.desc()).limit(1)
        with db.reading(self._engine) as connection:
            row = connection.execute(newest).first()
        return Decision.of(row) if row else None

    def since(self, number: int, most: int) -> tuple[tuple[int, Decision], ...]:
        """Return so many of the decisions of all sessions after that of a number, with theirs."""
        chosen = decisions.select().where(decisions.c.number > number)
        first = chosen.order_by(decisions.c.number).limit(most)
        with db.reading(self._engine) as connection:
            return tuple((row.number, Decision.of(row)) for row in connection.execute(first))

    def claim(self, content_id: str, others: Collection[str] = ()) -> str:
        """Return the handle of an original: the shortest start of its id that was free.

        It is 6 hex digits or more, the same ever after, and the start of none of `others`, whose
        claims an earlier ledger may have held.
        """
        with db.reading(self._engine) as connection:
            known = _handle(connection, content_id)
        if known is not None:
            return known
        with db.writing(self._engine) as connection:
            known = _handle(connection, content_id)
            if known is not None:
                return known
            handle = _free_handle(connection, content_id, others)
            connection.execute(handles.insert().values(handle=handle, content_id=content_id))
            return handle

    def claimed(self, handle: str) -> str | None:
        """Return the content id that a handle was given to, if it was."""
        chosen = sa.select(handles.c.content_id).where(handles.c.handle == handle)
        with db.reading(self._engine) as connection:
            return connection.scalar(chosen)

    def record(self, spent: Usage, *, session: str, model: str) -> None:
        """Add the tokens of one model call, the session's next."""
        row = {"session": session, "model": model, "at": time.time()}
        earlier = sa.select(sa.func.count()).where(usage.c.session == session)
        with db.writing(self._engine) as connection:
            turn = connection.scalar(earlier)
            connection.execute(usage.insert().values(row | {"turn": turn} | asdict(spent)))

    def calls(self, session: str) -> tuple[Call, ...]:
        """Return the model calls of a session in the order in which they came."""
        chosen = usage.select().where(usage.c.session == session).order_by(usage.c.number)
        with db.reading(self._engine) as connection:
            return tuple(
                Call(session=session, turn=row.turn, model=row.model, usage=usage_of(row))
                for row in connection.execute(chosen)
            )

    def note(self, event: Event, /) -> None:
        """Add an event."""
        try:
            detail = json.dumps(dict(event.detail), default=str)
        except (TypeError, ValueError) as error:
            raise LedgerError(
                f"event {event.kind!r} cannot be stored: {error}: give it JSON values"
            ) from error
        row = {"kind": event.kind, "session": event.session, "detail": detail, "at": time.time()}
        with db.writing(self._engine) as connection:
            connection.execute(events.insert().values(row))

    def events(self, session: str) -> tuple[Event, ...]:
        """Return the events of a session in the order in which they came."""
        chosen = events.select().where(events.c.session == session).order_by(events.c.number)
        with db.reading(self._engine) as connection:
            return tuple(
                Event(row.kind, session, _detail(row.detail)) for row in connection.execute(chosen)
            )

    def stats(self, session: str | None = None) -> Stats:
        """Return sums over a session, or over all."""
        with db.reading(self._engine) as connection:
            return totals(connection, session)


def _find(connection: Connection, session: str, keys: Collection[Key]) -> dict[Key, Decision]:
    wanted, found = set(keys), dict[Key, Decision]()
    for some in db.batches(content_id for _, content_id in wanted):
        chosen = decisions.select().where(
            decisions.c.session == session, decisions.c.content_id.in_(some)
        )
        for row in connection.execute(chosen):
            if (key := (row.call_id, row.content_id)) in wanted:
                found[key] = Decision.of(row)
    return found


def _handle(connection: Connection, content_id: str) -> str | None:
    return connection.scalar(sa.select(handles.c.handle).where(handles.c.content_id == content_id))


def _free_handle(connection: Connection, content_id: str, others: Collection[str]) -> str:
    candidates = [content_id[:end] for end in range(_SHORTEST_HANDLE, len(content_id) + 1)]
    chosen = sa.select(handles.c.handle).where(handles.c.handle.in_(candidates))
    taken = set(connection.scalars(chosen))
    free = (
        candidate
        for candidate in candidates
        if candidate not in taken and not any(other.startswith(candidate) for other in others)
    )
    try:
        return next(free)
    except StopIteration:
        raise LedgerError(f"{content_id!r} is no content id: give 64 hex digits") from None


def _detail(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"damaged": text}
