"""Full-text search of records and steps, over an index that is rebuilt from git when need be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from agentctx.errors import LedgerError, MemoryFull, MemoryLocked, MemoryStoreError
from agentctx.memory import ids
from agentctx.memory.recall.source import Source
from agentctx.memory.recall.terms import excerpt, terms
from agentctx.values import Trust

if TYPE_CHECKING:
    from sqlalchemy import Engine

Answer = TypeVar("Answer")

_MOST = 1_000  # hits


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A record that fits a query; `snippet` is one line, `at` seconds since 1970."""

    id: str
    branch: str
    title: str
    snippet: str
    at: float
    trust: Trust = Trust.UNTRUSTED
    quarantined: bool = False


class Index:
    """The words of all records of a memory, shared by processes."""

    def __init__(self, path: Path) -> None:
        """Use the index in the file at `path`, which is made when it is first needed."""
        self.path = path
        self._last: tuple[Source, dict[str, str]] | None = None

    def catch_up(self, store: Source, branches: Mapping[str, str]) -> None:
        """Index what is new on these branches, and take out what is on none of them any more.

        Args:
            store: the memory.
            branches: hash of the newest git commit by a name, archived branches too.

        Raises:
            MemoryStoreError: the index cannot be written, or the memory not be read.
        """
        self._last = store, dict(branches)
        self._asked(lambda engine: _catch_up(engine, store, branches))

    def search(self, query: str, limit: int = 10, branch: str | None = None) -> list[Hit]:
        """Return the records that fit a query best: all of its words, or else some of them.

        Args:
            query: words, and phrases in double quotes; nothing in it is an operator.
            limit: how many at most.
            branch: look among the records of that branch only.

        Raises:
            MemoryStoreError: the index cannot be used.
        """
        found = terms(query)
        limit = min(limit, _MOST)
        if not found or limit < 1:
            return []
        return self._asked(lambda engine: _search(engine, found, limit, branch))

    def forget(self, ids: Iterable[str]) -> None:
        """Take records out, leaving nothing of them in the file.

        Raises:
            MemoryStoreError: the index cannot be written.
        """
        gone = list(ids)
        self._asked(lambda engine: _forget(engine, gone))

    def rebuild(self, store: Source, branches: Mapping[str, str]) -> None:
        """Make the index again.

        Raises:
            MemoryStoreError: it cannot be written, or the memory not be read.
        """
        self._remove()
        self.catch_up(store, branches)

    def close(self) -> None:
        """Let go of the file."""
        if "_engine" in self.__dict__:
            self._engine.dispose()
            del self._engine

    @cached_property
    def _engine(self) -> Engine:
        from agentctx.memory.recall import (
            tables,  # SQLAlchemy takes longer to load than most commands
        )

        return tables.engine(self.path)

    def _asked(self, action: Callable[[Engine], Answer]) -> Answer:
        """Do something with the index; make it again first if it turns out to be damaged."""
        try:
            return action(self._engine)
        except (LedgerError, ValueError, TypeError) as error:
            if not _damaged(error):
                raise _translated(error) from error
        self._remove()
        try:
            if self._last:
                _catch_up(self._engine, *self._last)
            return action(self._engine)
        except (LedgerError, ValueError, TypeError) as error:
            raise _translated(error) from error

    def _remove(self) -> None:
        self.close()
        for end in ("", "-journal", "-wal", "-shm"):
            try:
                self.path.with_name(f"{self.path.name}{end}").unlink(missing_ok=True)
            except OSError as error:
                raise MemoryStoreError(
                    f"the index {str(self.path)!r} cannot be made again: {error.strerror}: remove it"
                ) from error


def _catch_up(engine: Engine, store: Source, branches: Mapping[str, str]) -> None:
    from agentctx.memory.recall import indexing

    indexing.catch_up(engine, store, branches)


def _search(engine: Engine, found: Sequence[str], limit: int, branch: str | None) -> list[Hit]:
    from agentctx import db
    from agentctx.memory.recall import tables

    with db.reading(engine) as connection:
        rows = tables.find(connection, " ".join(found), limit, branch)
        if not rows and len(found) > 1:
            rows = tables.find(connection, " OR ".join(found), limit, branch)
        return [_hit(row, found) for row in rows]


def _forget(engine: Engine, gone: Sequence[str]) -> None:
    from agentctx import db
    from agentctx.memory.recall import tables

    with db.writing(engine) as connection:
        tables.remove(connection, gone)
    tables.shred(engine)


def _hit(row: Sequence[Any], found: Sequence[str]) -> Hit:
    id, branch, title, *texts, trust, held = row
    return Hit(
        id=id,
        branch=branch,
        title=title,
        snippet=excerpt(texts, found).removeprefix(title).strip(),
        at=ids.seconds(id) if ids.ID.fullmatch(id) else 0.0,
        trust=Trust(trust),
        quarantined=bool(held),
    )


def _damaged(error: Exception) -> bool:
    return _code(error) not in _OTHER_CAUSES


def _code(error: Exception) -> int:
    cause = getattr(error.__cause__, "orig", None)
    if isinstance(error, LedgerError) and cause is None:
        return _CANNOT_OPEN
    return (getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF


_LOCKED, _FULL, _CANNOT_OPEN = {5, 6}, {13}, 14
_OTHER_CAUSES = {*_LOCKED, *_FULL, _CANNOT_OPEN, 3, 7, 8, 9, 10}
"""SQLite's primary result codes that do not speak against the file."""


def _translated(error: Exception) -> MemoryStoreError:
    code = _code(error)
    kind = MemoryLocked if code in _LOCKED else MemoryFull if code in _FULL else MemoryStoreError
    return kind(str(error))
