"""The proof that something is gone: every object and file of a memory, read and searched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pygit2.enums import ObjectType

from agentctx.errors import MemoryCorrupt
from agentctx.memory import texts
from agentctx.memory.forget.target import Target, strings
from agentctx.memory.store.nodes import SESSION
from agentctx.memory.store.parts import Parts

_FILES = ("wal.jsonl", "operations.jsonl", "index.db", "index.db-wal", "index.db-journal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """How many git objects and files were searched, and the names of those that hold it."""

    objects: int
    files: int
    holding: tuple[str, ...]

    @property
    def line(self) -> str:
        """The result in one line."""
        searched = f"{self.objects} objects and {self.files} files"
        return f"{len(self.holding)} of {searched} hold it"


def prove(parts: Parts, wanted: Target) -> Proof:
    """Search every object of every pack, every loose one, and every file beside the repository."""
    names = [str(oid) for oid in parts.repository.again().odb]
    holding = [name for name in names if _object(*parts.objects.raw(name), wanted)]
    files = list(_files(parts.folder))
    holding += [path.name for path in files if holds(path.read_bytes(), wanted)]
    return Proof(objects=len(names), files=len(files), holding=tuple(holding))


def holds(data: bytes, wanted: Target) -> bool:
    """Say whether a file or object holds what was to be forgotten, as it stands or as it is read."""
    text = data.decode("utf-8", "replace")
    if wanted.literal and wanted.matches(text):
        return True
    values = list(_values(text))
    if wanted.session and any(_of(value, wanted.session) for value in values):
        return True
    return any(wanted.matches(one) for value in values for one in strings(value))


def _object(kind: int, data: bytes, wanted: Target) -> bool:
    if kind == ObjectType.COMMIT:
        message = data.partition(b"\n\n")[2].decode("utf-8", "replace")
        session = wanted.session and f"{SESSION}: {wanted.session}\n" in f"{message}\n"
        return bool(session) or any(wanted.matches(line) for line in message.split("\n"))
    return kind == ObjectType.BLOB and holds(data, wanted)


def _files(folder: Path) -> Iterator[Path]:
    yield from (path for name in _FILES if (path := folder / name).is_file())
    yield from sorted(path for path in (folder / "journal").glob("*") if path.is_file())


def _values(text: str) -> Iterator[Any]:
    """Yield what a text says: JSON line by line, the YAML at its head, and the rest as it stands."""
    rest = text
    if text.startswith("---\n") and "\n---\n" in text:
        head, _, rest = text[4:].partition("\n---\n")
        yield from _yaml(head)
    elif ":" in text and not text.startswith(("{", "#")):
        yield from _yaml(text)
    for line in rest.split("\n"):
        yield _json(line)
    if not rest.startswith("{"):
        yield rest


def _json(line: str) -> Any:
    try:
        return json.loads(line) if line.startswith(("{", "[", '"')) else line
    except (ValueError, RecursionError):
        return line


def _yaml(text: str) -> Iterator[Any]:
    try:
        yield texts.load(text)
    except MemoryCorrupt:
        return


def _of(value: Any, session: str) -> bool:
    """Say whether something within a value says that it is of a session."""
    if isinstance(value, dict):
        own = value.get("session") == session
        return own or any(_of(one, session) for one in value.values())
    return isinstance(value, list) and any(_of(one, session) for one in value)
