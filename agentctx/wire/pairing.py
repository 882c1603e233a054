"""Ids that may stand only once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from agentctx.values import Path, Violation

Id: TypeAlias = tuple[Path, str]
"""Where an id stands, and the id."""


def repeated(rule: str, ids: Iterable[Id], seen: set[str]) -> Iterator[Violation]:
    """Yield a violation for every id that is in `seen` already, and add the others to it."""
    for path, found in ids:
        if found in seen:
            yield Violation(rule, path, f"{found!r} stands there already")
        seen.add(found)
