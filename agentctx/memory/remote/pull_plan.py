"""What a pull does to each branch: go on, be archived, or be merged since it went apart."""

from __future__ import annotations

from collections.abc import Mapping

from agentctx.memory.store import Store
from agentctx.memory.store.paths import ARCHIVE, HEADS
from agentctx.memory.store.transaction import Transaction


class Plan:
    """Which refs a pull moves, within its transaction."""

    def __init__(self, store: Store, change: Transaction) -> None:
        """Move refs of `store` through `change`."""
        self._store, self._change = store, change
        self.moved: list[str] = []
        self.apart: list[tuple[str, str]] = []

    def take(self, ref: str, hash: str) -> None:
        """Take one ref of the other side: go on with it, or note that it went apart."""
        if ref.startswith(ARCHIVE):
            self._archive(short(ref), hash)
        else:
            self._head(short(ref), hash)

    def _head(self, name: str, hash: str) -> None:
        tip = self._change.tip(name)
        archived = (a for other, a in self._archives().items() if same(other, name))
        if tip == hash or (tip is None and any(self._has(one, hash) for one in archived)):
            return
        if tip is None or self._has(hash, tip):
            self._move(f"{HEADS}{name}", hash)
        elif not self._has(tip, hash):
            self._change.move(f"{HEADS}{name}", hash)  # sees that it is a memory
            self._change.move(f"{HEADS}{name}", tip)
            self.apart.append((name, hash))

    def _archive(self, name: str, hash: str) -> None:
        known, tip = self._archives(), self._change.tip(name)
        if any(self._has(one, hash) for other, one in known.items() if same(other, name)):
            return
        older = (
            other for other, one in known.items() if same(other, name) and self._has(hash, one)
        )
        free = next(older, None) or _free(name, known)
        self._move(f"{ARCHIVE}{free}", hash)
        if tip and self._has(hash, tip):
            self._change.move(f"{HEADS}{name}", None)

    def _archives(self) -> dict[str, str]:
        found = {name: self._change.archived(name) for name in self._store.archived()}
        made = {short(ref): self._change.archived(short(ref)) for ref in self.moved}
        return {name: hash for name, hash in {**found, **made}.items() if hash}

    def _has(self, tip: str, hash: str) -> bool:
        return has(self._store, tip, hash)

    def _move(self, ref: str, hash: str) -> None:
        self._change.move(ref, hash)
        self.moved.append(ref)


def has(store: Store, tip: str, hash: str) -> bool:
    """Say whether the history of `tip` has `hash` in it."""
    return store.contains(hash) and store.contains(tip) and store.common(tip, hash) == hash


def same(archived: str, name: str) -> bool:
    """Say whether an archived branch had this name when it was open."""
    return archived == name or (
        archived.startswith(f"{name}.") and archived.removeprefix(f"{name}.").isdecimal()
    )


def _free(name: str, known: Mapping[str, str]) -> str:
    numbered = (f"{name}.{number}" for number in range(2, len(known) + 3))
    return next(one for one in (name, *numbered) if one not in known)


def short(ref: str) -> str:
    """Return the branch that a ref names."""
    return ref.removeprefix(HEADS).removeprefix(ARCHIVE)
