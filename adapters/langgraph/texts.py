"""How LangGraph's ids and values stand in a memory tree: names that are hashes, texts below 1 MiB."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any, TypeAlias

from agentctx.errors import MemoryCorrupt

VALUES = "v"

Slot: TypeAlias = str | tuple[str, int]  # a text, or the digest of one and in how many parts it is
Typed: TypeAlias = tuple[str, bytes]

_PART = 250_000  # characters, at most 4 bytes each
_INLINE = 400  # a text that costs less than a file of its own
_PLAIN = bytes({9, 10, *range(32, 127)})


def digest(*texts: str) -> str:
    """Return 40 hex digits that name these texts, whatever stands in them."""
    data = json.dumps(texts).encode()
    return blake2b(data, digest_size=20).hexdigest()


def sharded(folder: str, name: str) -> str:
    """Return the path of a name that begins with hex digits, in folders that stay small."""
    return f"{folder}/{name[0]}/{name[1]}/{name}"


def write(typed: Typed) -> str:
    """Return a serialized value as text: readable, and alike when values are, so that git packs it.

    Bytes stand for the characters of the same number, or in base64 when few of them are plain.
    """
    kind, data = typed
    if 4 * len(data.translate(None, _PLAIN)) <= len(data):
        return f"{kind} latin-1\n{data.decode('latin-1')}"
    return f"{kind} base64\n{base64.b64encode(data).decode()}"


def read(text: str) -> Typed:
    """Return the serialized value that a text of `write` holds.

    Raises:
        MemoryCorrupt: it holds none.
    """
    head, _, body = text.partition("\n")
    kind, _, code = head.rpartition(" ")
    try:
        if code == "base64":
            return kind, base64.b64decode(body, validate=True)
        if code == "latin-1":
            return kind, body.encode("latin-1")
    except (UnicodeError, binascii.Error):
        pass
    raise MemoryCorrupt(f"{head[:60]!r} begins no value of a graph: run agentctx memory verify")


def parts(text: str) -> Iterator[str]:
    """Yield a text in parts that fit into a file, at least one."""
    return (text[start : start + _PART] for start in range(0, len(text) or 1, _PART))


def keep(text: str, files: dict[str, str | None]) -> Slot:
    """Return the slot of a text; a long one is added to `files`, equal ones once."""
    if len(text) <= _INLINE:
        return text
    name = digest(text)
    paths = {f"{sharded(VALUES, name)}.{n}": part for n, part in enumerate(parts(text))}
    files.update(paths)
    return name, len(paths)


def paths(slot: Slot) -> list[str]:
    """Return the files that a slot stands for."""
    if isinstance(slot, str):
        return []
    return [f"{sharded(VALUES, slot[0])}.{n}" for n in range(slot[1])]


def fetch(slot: Slot, read: Callable[[str], str | None]) -> str:
    """Return the text of a slot.

    Raises:
        MemoryCorrupt: a part of it is missing.
    """
    return slot if isinstance(slot, str) else joined(paths(slot), read)


def joined(paths: Iterable[str], read: Callable[[str], str | None]) -> str:
    """Return the text whose parts these files hold.

    Raises:
        MemoryCorrupt: one is missing.
    """
    found = {path: read(path) for path in paths}
    if missing := next((path for path, part in found.items() if part is None), None):
        raise MemoryCorrupt(f"{missing}: a part is missing: run agentctx memory verify")
    return "".join(part or "" for part in found.values())


def slot(value: Any) -> Slot:
    """Return the slot that a JSON value stands for."""
    return value if isinstance(value, str) else (str(value[0]), int(value[1]))


def lines(values: Iterable[Any]) -> str:
    """Return JSON values, one a line; what UTF-8 cannot hold is escaped."""
    return "".join(f"{dumped(value)}\n" for value in values)


def dumped(value: Any) -> str:
    """Return a value as JSON that UTF-8 can hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return json.dumps(value, separators=(",", ":"))
    return text


def loaded(text: str, path: str) -> Any:
    """Return the JSON value in the file at `path`.

    Raises:
        MemoryCorrupt: it holds none.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise MemoryCorrupt(f"{path}: is no JSON: run agentctx memory verify") from None
