"""Private folders and files that are whole or not there at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}


def private_folder(folder: Path) -> None:
    """Make `folder` and the missing folders above it, open to this user only."""
    if folder.is_dir():
        return
    if folder != folder.parent:  # a drive that is not there has no parent to make
        private_folder(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        sync_folder(folder.parent)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` survive a power cut, where the system lets a folder be synced."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def scratch(folder: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Open a new private file in `folder`; it is gone afterwards unless it was renamed."""
    descriptor, name = tempfile.mkstemp(prefix="tmp", dir=folder)
    path = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file, path
    finally:
        path.unlink(missing_ok=True)


def publish(file: BinaryIO, path: Path, target: Path) -> None:
    """Give the finished scratch `file` at `path` its final name; all of it or nothing is seen."""
    file.flush()
    os.fsync(file.fileno())
    file.close()  # Windows renames closed files only
    private_folder(target.parent)
    try:
        path.replace(target)
    except PermissionError:
        if not (os.name == "nt" and target.exists()):  # somebody reads the same content there
            raise
    sync_folder(target.parent)


def remedy(error: OSError) -> str:
    """Say in one line why the disk refused and what helps."""
    reason = error.strerror or type(error).__name__
    if error.errno in _FULL:
        return f"{reason}: free some disk space"
    if error.errno in _DENIED:
        return f"{reason}: let this user write there, or choose another data folder"
    return f"{reason}: check the disk and the path, or choose another data folder"
