"""Where a memory command works: the data folder, the branch, the author."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from agentctx import config
from agentctx.errors import MemoryNameError, MemoryStoreError, UnknownMemory
from agentctx.files import publish, remedy, scratch
from agentctx.stores import Stores
from agentctx.values import Trust

if TYPE_CHECKING:
    from agentctx.memory.memory import Memory
    from agentctx.memory.snapshot import Snapshot

_FILE = "branch"
_LONGEST = 300


@contextmanager
def opened(branch: str = "") -> Iterator[Memory]:
    """Open the memory of this project on a branch, the one that was switched to by default.

    Raises:
        ConfigError: the settings cannot be used.
    """
    from agentctx.memory.memory import Memory

    stores = Stores(config.load())

    def redact(text: str) -> str:
        return stores.redactor.redact(text)  # whose key is made when something is stored

    session = os.environ.get("AGENTCTX_SESSION", "")
    name = named(branch or os.environ.get("AGENTCTX_BRANCH", "")) or _kept(stores)
    with Memory(
        stores.settings.open_data(),
        branch=name,
        session=session,
        agent=os.environ.get("AGENTCTX_AGENT", ""),
        trust=Trust.USER if sys.stdin and sys.stdin.isatty() else Trust.MODEL,
        redact=redact,
        summarise=stores.summariser(session),
        code=stores.settings.memory_code,
    ) as memory:
        yield memory


def named(branch: str) -> str:
    """Return a branch's name; wrong usage if none may have it."""
    from agentctx.memory import names

    try:
        return names.branch(branch) if branch else ""
    except MemoryNameError as error:
        raise typer.BadParameter(str(error)) from None


def keep(memory: Memory) -> None:
    """Let the following commands stand where this one stands now.

    Raises:
        MemoryStoreError: that cannot be written down.
    """
    path = memory.folder / _FILE
    try:
        with scratch(memory.folder) as (file, temporary):
            file.write(f"{memory.current}\n".encode())
            publish(file, temporary, path)
    except OSError as error:
        raise MemoryStoreError(f"{str(path)!r} was not written: {remedy(error)}") from None


def view(memory: Memory, name: str = "") -> Snapshot:
    """Return a state: a branch, archived ones too, or the one that a record or git hash made.

    Raises:
        UnknownMemory: there is no such thing.
    """
    from agentctx.memory.snapshot import Snapshot

    store = memory.store
    tips = {**store.archived(), **store.branches()}
    if not name and memory.current in tips:
        return Snapshot(store, tips[memory.current])
    if name in tips:
        return Snapshot(store, tips[name])
    if not name:
        return memory.snapshot()
    hash = _made(memory, name) or (store.resolve(name) if len(name) >= 4 else None)
    if hash is None:
        raise UnknownMemory(
            f"no branch, record or commit {name[:60]!r}: see agentctx memory history"
        )
    return Snapshot(store, hash)


def _made(memory: Memory, id: str) -> str | None:
    """Return the git commit of the one record whose id begins so."""
    from agentctx.memory.store.nodes import reached

    tips = (*memory.store.branches().values(), *memory.store.archived().values())
    nodes = reached(tips, memory.store.node)
    found = {node.id: node.hash for node in nodes if node.id.startswith(id)}
    if len(found) > 1:
        raise UnknownMemory(f"several records begin with {id!r}: give more of the id")
    return next(iter(found.values()), None)


def _kept(stores: Stores) -> str:
    """Return the branch that `switch` wrote down, the first one where it is gone or unreadable."""
    from agentctx.memory import names

    try:
        with (stores.settings.data / _FILE).open(encoding="utf-8") as file:
            return names.branch(file.read(_LONGEST).strip())
    except (OSError, UnicodeDecodeError, MemoryNameError):
        return names.MAIN
