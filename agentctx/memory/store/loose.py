"""Loose objects, read without libgit2, which never returns from a file that was cut off.

Source: https://github.com/libgit2/libgit2/issues/7342, in all releases up to 1.9.7.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

HASH = re.compile(r"[0-9a-f]{40}")


def files(objects: Path) -> Iterator[Path]:
    """Yield the files of the loose objects in a repository's folder of objects."""
    for folder in sorted(objects.glob("[0-9a-f][0-9a-f]")):
        yield from sorted(path for path in folder.iterdir() if len(path.name) == 38)


def beginning(objects: Path, prefix: str) -> list[str]:
    """Return the hashes of the loose objects that begin with at least two characters."""
    found = (objects / prefix[:2]).glob(f"{prefix[2:]}*")
    return sorted(prefix[:2] + path.name for path in found if len(path.name) == 38)


def name(path: Path) -> str:
    """Return the hash that a file is named by."""
    return path.parent.name + path.name


def content(path: Path) -> bytes:
    """Return a loose object with its header, b"" if it is not what its name says.

    Raises:
        OSError: the file is not there, or the disk does not tell.
    """
    try:
        data = zlib.decompress(path.read_bytes())
    except zlib.error:
        return b""
    return data if hashlib.sha1(data, usedforsecurity=False).hexdigest() == name(path) else b""


def split(data: bytes) -> tuple[str, bytes]:
    """Return the kind and the bytes of an object with its header."""
    head, _, body = data.partition(b"\0")
    return head.partition(b" ")[0].decode(), body
