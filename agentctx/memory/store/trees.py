"""Trees of a memory, as git writes them: plain files and folders whose names we allow, nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from agentctx.errors import MemoryCorrupt, MemoryNameError
from agentctx.memory import names

_ENTRY = re.compile(rb"(\d+) ([^\0]*)\0(.{20})", re.DOTALL)
_MODES = {b"100644": False, b"40000": True}
_KINDS = {b"120000": "a symbolic link", b"160000": "a submodule", b"100755": "an executable"}


class Entry(NamedTuple):
    """One name in a tree."""

    hash: str
    folder: bool


Tree = Mapping[str, Entry]


def write(tree: Tree) -> bytes:
    """Return a tree as git stores it.

    Raises:
        MemoryNameError: a name that no tree of ours may have.
    """
    ordered = sorted(tree.items(), key=lambda item: f"{item[0]}/" if item[1].folder else item[0])
    return b"".join(_line(names.file(name), entry) for name, entry in ordered)


def read(data: bytes, thing: str) -> Tree:
    """Return the tree that git stored; `thing` names it in errors.

    Raises:
        MemoryCorrupt: it has an entry that no tree of ours has.
    """
    found: dict[str, Entry] = {}
    at = 0
    while at < len(data):
        entry = _ENTRY.match(data, at)
        if not entry:
            raise MemoryCorrupt(f"{thing} is no tree: run agentctx memory verify")
        name = _checked(thing, entry[1], entry[2])
        found[name] = Entry(entry[3].hex(), _MODES[entry[1]])
        at = entry.end()
    return found


def links(data: bytes) -> list[tuple[str, str]]:
    """Return hash and name of what stands in a tree, unchecked: for what only moves bytes."""
    return [(hash.hex(), name.decode("utf-8", "replace")) for _, name, hash in _ENTRY.findall(data)]


def _checked(thing: str, mode: bytes, name: bytes) -> str:
    text = name.decode("utf-8", "backslashreplace")
    if mode not in _MODES:
        kind = _KINDS.get(mode, f"an entry of mode {mode.decode()}")
        raise MemoryCorrupt(f"{thing} holds {kind}, {text!r}: memory has plain files only")
    try:
        return names.file(text)
    except MemoryNameError as error:
        raise MemoryCorrupt(f"{thing} cannot be trusted: {error}") from None


def _line(name: str, entry: Entry) -> bytes:
    mode = b"40000" if entry.folder else b"100644"
    return b"%b %b\0%b" % (mode, name.encode(), bytes.fromhex(entry.hash))
