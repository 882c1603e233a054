"""What a command prints: bytes, JSON or a table; and `agentctx reduce`."""

from __future__ import annotations

import errno
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentctx.errors import DataError

if TYPE_CHECKING:
    from rich.table import Table


def reduce(file: str, command: str, exit_code: int | None, *, as_json: bool) -> None:
    """Print the reduction of a file ("-": stdin).

    Raises:
        ConfigError: the settings cannot be used.
        DataError: the file cannot be read.
        RedactionError: secrets could not be removed.
    """
    from agentctx.cli.engine import Engine
    from agentctx.values import Observation

    text = _read(file).decode("utf-8", "surrogateescape")
    observation = Observation(output=text, command=command, exit_code=exit_code, tool="exec")
    reduction = Engine().observe(observation)
    if as_json:
        print_json(asdict(reduction))
    else:
        print_bytes(reduction.text.encode("utf-8", "surrogateescape"))


def given(argument: str) -> str:
    """Return the text that an argument gives; that of "-" stands in stdin.

    Raises:
        DataError: stdin cannot be read.
    """
    return _read(argument).decode("utf-8", "replace") if argument == "-" else argument


def print_bytes(data: bytes) -> None:
    """Print bytes as they are."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print_bytes(json.dumps(value, indent=2, default=str).encode() + b"\n")


def print_table(table: Table | str) -> None:
    """Print a table, or a text, as wide as its place."""
    from rich.console import Console

    Console(highlight=False, markup=False).print(table)


def _read(file: str) -> bytes:
    try:
        if file != "-":
            return Path(file).read_bytes()
        if sys.stdin is None:  # its descriptor is closed
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return sys.stdin.buffer.read()
    except OSError as error:
        raise DataError(f"{file}: {error.strerror}: give a file that can be read, or -") from error
