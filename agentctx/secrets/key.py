"""The key under which placeholders are made: without it a short secret could be guessed from one."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from agentctx.errors import RedactionError
from agentctx.files import scratch

FILE = "redaction.key"
SIZE = 32


def load(data: Path) -> bytes:
    """Return the key of a data folder, making it if it is missing.

    Processes that start at once agree on one key: the file appears whole, and only once.

    Raises:
        RedactionError: the key cannot be read, made, or is damaged.
    """
    path = data / FILE
    try:
        if not path.exists():
            _make(path)
        key = path.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise RedactionError(f"{path}: {reason}: make the data folder writable") from error
    if len(key) != SIZE:
        raise RedactionError(f"{path}: {len(key)} bytes instead of {SIZE}: delete it")
    return key


def _make(path: Path) -> None:
    with scratch(path.parent) as (file, made):
        file.write(secrets.token_bytes(SIZE))
        file.flush()
        os.fsync(file.fileno())
        try:
            path.hardlink_to(made)  # unlike a rename, this never replaces another process's key
        except FileExistsError:
            return
        except OSError:  # a file system without links
            if not path.exists():
                file.close()
                made.replace(path)
