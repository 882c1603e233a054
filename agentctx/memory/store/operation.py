"""Operations: what moved which refs. Slim ones are history; with their payload they are the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Move:
    """One ref before and after; None is no such ref."""

    ref: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """All that is needed to write one commit again, byte for byte. `files` maps paths to texts.

    A text of None removes the file. `base` is the commit whose tree the files are put on.
    """

    hash: str
    base: str | None
    parents: tuple[str, ...]
    files: Mapping[str, str | None]
    title: str
    trailers: Mapping[str, str]
    at: int

    def named(self, hash: str) -> Put:
        """Return the same with the hash of its commit."""
        return replace(self, hash=hash)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What one transaction did; `at` is seconds since 1970."""

    id: str
    kind: str
    session: str = ""
    at: float = 0.0
    moves: tuple[Move, ...] = ()
    title: str = ""
    puts: tuple[Put, ...] = field(default=(), repr=False)

    @property
    def slim(self) -> Operation:
        """The same without what rebuilds its objects."""
        return replace(self, puts=())


def write(operation: Operation) -> dict[str, Any]:
    """Return an operation as JSON values."""
    value = {
        "id": operation.id,
        "kind": operation.kind,
        "session": operation.session,
        "at": operation.at,
        "moves": [[move.ref, move.old, move.new] for move in operation.moves],
        "title": operation.title,
    }
    return {**value, "puts": [asdict(put) for put in operation.puts]} if operation.puts else value


def read(value: Mapping[str, Any]) -> Operation | None:
    """Return the operation that JSON values hold, None if they hold none."""
    try:
        return Operation(
            id=str(value["id"]),
            kind=str(value["kind"]),
            session=str(value["session"]),
            at=float(value["at"]),
            moves=tuple(Move(*move) for move in value["moves"]),
            title=str(value["title"]),
            puts=tuple(_put(put) for put in value.get("puts", ())),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _put(value: Mapping[str, Any]) -> Put:
    return Put(**{**value, "parents": tuple(value["parents"])})
