"""Whether anything in a folder was changed in some time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_MOST = 20_000
"""Files that are looked at; a larger tree may have changed."""

_CACHES = frozenset({"__pycache__", "node_modules"})


def changed(folder: Path, since: float, until: float) -> bool:
    """Tell whether a file below a folder was written, made or removed between two times.

    Hidden folders and caches do not count. What cannot be read may have changed.
    """
    try:
        for number, when in enumerate(_times(str(folder))):
            if since < when < until or number >= _MOST:
                return True
    except OSError:
        return True
    return False


def _times(folder: str) -> Iterator[float]:
    yield Path(folder).stat().st_mtime
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield entry.stat(follow_symlinks=False).st_mtime
            elif not entry.name.startswith(".") and entry.name not in _CACHES:
                yield from _times(entry.path)
