"""Recordings on disk, read one line at a time."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentctx.errors import DataError
from agentctx.evals.formats import parse
from agentctx.evals.trajectory import Trajectory

_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a file: where it stood, and its text."""

    path: str
    number: int
    line: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of a record: a trajectory, or a note that says why there is none."""

    trajectory: Trajectory | None
    note: str = ""
    repaired: bool = False


def records(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield every line that is not blank of `.jsonl` and `.jsonl.gz` files.

    Raises:
        DataError: a file is missing, is not text or gzip as its name says, or does not begin
            with a JSON object.
    """
    for path in paths:
        yield from _lines(path)


def count(paths: Sequence[Path]) -> int:
    """Return how many records the files hold."""
    return sum(1 for _ in records(paths))


def load(record: Record) -> Loaded:
    """Return the trajectory in a record; one that cannot be read becomes a note, not an error."""
    where = f"{Path(record.path).name}, record {record.number}"
    try:
        value, repaired = _decode(record.line)
        if not isinstance(value, dict):
            raise DataError("not a JSON object")
        trajectory = parse(value)
    except (DataError, ValueError, RecursionError) as error:
        return Loaded(None, f"{where}: skipped, {_one_line(error)}")
    note = f"{where}: repaired, a backslash that JSON does not allow" if repaired else ""
    return Loaded(trajectory, note, repaired)


def _lines(path: Path) -> Iterator[Record]:
    number = 0
    try:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file):
                if not line.strip():
                    continue
                if number == 0 and not line.lstrip().startswith("{"):
                    raise DataError(f"{str(path)!r} is not JSON lines: give .jsonl or .jsonl.gz")
                yield Record(str(path), number, line)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or f"{_one_line(error)}, after record {number}"
        raise DataError(
            f"{str(path)!r} cannot be read ({why}): give trajectories as .jsonl or .jsonl.gz"
        ) from error


def _decode(line: str) -> tuple[Any, bool]:
    try:
        return json.loads(line), False
    except json.JSONDecodeError:
        # Anonymised data is known to hold `\\d` where `\\n` and a letter were replaced.
        return json.loads(_ESCAPE.sub(_double, line)), True


def _double(escape: re.Match[str]) -> str:
    return "\\\\" if escape[0] == "\\" else escape[0]


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
