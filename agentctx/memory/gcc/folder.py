"""A folder in the paper's layout, `.GCC`: read as if an enemy had made it, written whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from agentctx.errors import MemoryNameError, MemoryStoreError
from agentctx.files import remedy
from agentctx.memory import names

MAIN, BRANCHES = "main.md", "branches"
COMMITS, LOG, METADATA = "commit.md", "log.md", "metadata.yaml"

_LIMITS = {MAIN: 1 << 20, METADATA: 1 << 20, COMMITS: 1 << 26, LOG: 1 << 26}
_TOTAL = 1 << 28
_MOST_BRANCHES = 1000
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_OTHER = re.compile(r"[^a-z0-9._/-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The files of one branch by name; `named` is the folder's name where it had to be changed."""

    files: Mapping[str, str]
    named: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """What a folder in the paper's layout holds; `ignored` are the files that belong to none."""

    main: str = ""
    branches: Mapping[str, Texts] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()


def read(root: Path) -> Folder:
    """Return what `root`, or `.GCC` in it, holds.

    Raises:
        MemoryStoreError: it is no such folder, or holds links, huge files or what is no UTF-8.
    """
    root = root / ".GCC" if (root / ".GCC").is_dir() else root
    try:
        return _Reader(root).folder()
    except OSError as error:
        raise MemoryStoreError(f"{_shown(root)} cannot be read: {remedy(error)}") from None


def write(root: Path, folder: Folder) -> None:
    """Make `root`, which may not hold anything yet.

    Raises:
        MemoryStoreError: it does, or the disk refuses.
    """
    try:
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise MemoryStoreError(f"{_shown(root)} is not empty: name a new folder")
        root.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".export", dir=root.parent))
        try:
            _fill(made, folder)
            with suppress(FileNotFoundError):
                root.rmdir()
            made.rename(root)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise MemoryStoreError(f"{_shown(root)} cannot be written: {remedy(error)}") from None


def _fill(root: Path, folder: Folder) -> None:
    _put(root / MAIN, folder.main)
    for name, texts in folder.branches.items():
        place = root / BRANCHES / name.replace("/", "+")
        place.mkdir(parents=True)
        for file, text in texts.files.items():
            _put(place / file, text)


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


class _Reader:
    def __init__(self, root: Path) -> None:
        self._root, self._left = root, _TOTAL
        self._ignored: list[str] = []

    def folder(self) -> Folder:
        entries = {entry.name: entry for entry in self._entries(self._root)}
        if MAIN not in entries and BRANCHES not in entries:
            raise MemoryStoreError(
                f"{_shown(self._root)} holds no {MAIN} and no {BRANCHES}/: name a .GCC folder"
            )
        self._ignored += sorted(entries.keys() - {MAIN, BRANCHES})
        main = self._text(entries[MAIN]) if MAIN in entries else ""
        branches = dict(self._branches(entries[BRANCHES])) if BRANCHES in entries else {}
        return Folder(main=main, branches=branches, ignored=tuple(map(_printable, self._ignored)))

    def _branches(self, place: os.DirEntry[str]) -> Iterator[tuple[str, Texts]]:
        found = sorted(self._entries(self._folder(place)), key=lambda entry: entry.name)
        if len(found) > _MOST_BRANCHES:
            raise MemoryStoreError(
                f"{len(found)} branches: at most {_MOST_BRANCHES} are imported at once"
            )
        seen = set[str]()
        for entry in found:
            if not entry.is_dir(follow_symlinks=False) and not entry.is_symlink():
                self._ignored.append(f"{BRANCHES}/{entry.name}")
                continue
            name = _branch(entry.name)
            if name in seen:
                raise MemoryNameError(f"two branches would be called {name!r}: rename one")
            seen.add(name)
            yield name, self._one(entry, name)

    def _one(self, place: os.DirEntry[str], name: str) -> Texts:
        files = {}
        for entry in self._entries(self._folder(place)):
            if entry.name in _LIMITS:
                files[entry.name] = self._text(entry)
            else:
                self._ignored.append(f"{BRANCHES}/{place.name}/{entry.name}")
        shown = place.name.replace("+", "/")
        return Texts(files=files, named="" if shown == name else _printable(place.name))

    def _entries(self, folder: str | Path) -> list[os.DirEntry[str]]:
        with os.scandir(folder) as found:
            return list(found)

    def _folder(self, entry: os.DirEntry[str]) -> str:
        if not entry.is_dir(follow_symlinks=False):
            raise MemoryStoreError(f"{_shown(entry.path)} is a link or no folder: copy it in")
        return entry.path

    def _text(self, entry: os.DirEntry[str]) -> str:
        limit = min(_LIMITS[entry.name], self._left)
        data = _bytes(entry.path, limit)
        self._left -= len(data)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise MemoryStoreError(
                f"{_shown(entry.path)} is no UTF-8 at byte {error.start}: mend that file"
            ) from None


def _bytes(path: str, limit: int) -> bytes:
    """Return a file's bytes; a link, a pipe or a file above the limit is never read."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise MemoryStoreError(f"{_shown(path)} is a link: copy the file in") from None
        raise
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise MemoryStoreError(f"{_shown(path)} is no plain file: remove it")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise MemoryStoreError(f"{_shown(path)} is larger than {limit:,} bytes: split it")
    return data


def _branch(name: str) -> str:
    """Return the branch that a folder's name stands for, made to fit the rule."""
    slug = _OTHER.sub("-", name.replace("+", "/").lower()).strip("-._/")
    return names.branch(slug)


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _shown(path: object) -> str:
    return repr(_printable(str(path)))
