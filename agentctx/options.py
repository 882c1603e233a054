"""One parser per setting: what a file or an environment variable may say, and what it means.

A parser takes what TOML or the environment holds and returns the value, or raises `ValueError`
with a remedy. Strings come from either, so every parser takes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from agentctx.patterns import Pattern, compiled

Prices: TypeAlias = Mapping[str, Mapping[str, float]]
"""Model → field of `prices.Price` → dollars per million tokens (tokens for `min_cacheable`)."""

RATES = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
PRICE_FIELDS = (*RATES, "min_cacheable")

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)
_FLAGS = {"1": True, "true": True, "yes": True, "on": True}
_FLAGS |= {"0": False, "false": False, "no": False, "off": False}


class Mode(StrEnum):
    """How far agentctx may go."""

    OFF = "off"
    METER = "meter"
    REDUCE = "reduce"
    FULL = "full"


class Remember(StrEnum):
    """What memory takes in by itself, and whether the model is shown any of it."""

    OFF = "off"
    LOG = "log"
    ON = "on"


class Rules(StrEnum):
    """What rules for single commands may do, and whether they change.

    OFF: nothing; FROZEN: hide lines, always the same; ON: one that an agent came back for is not
    used there any more; EVOLVE: outputs are remembered, and rules are learnt from them, too.
    """

    OFF = "off"
    FROZEN = "frozen"
    ON = "on"
    EVOLVE = "evolve"


def near(name: str, known: Iterable[str]) -> str:
    """Return the known name that `name` probably means, or ""."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), 1, 0.75)), "")


def mode(value: Any) -> Mode:
    """Take one of the modes."""
    if value in tuple(Mode):
        return Mode(value)
    raise ValueError(f"use one of {', '.join(Mode)}")


def remember(value: Any) -> Remember:
    """Take one of the ways to remember; true is on."""
    if isinstance(value, str) and value in tuple(Remember):
        return Remember(value)
    found = _FLAGS.get(str(value).lower())
    if found is None:
        raise ValueError(f"use one of {', '.join(Remember)}")
    return Remember.ON if found else Remember.OFF


def rules(value: Any) -> Rules:
    """Take what rules may do; true is on."""
    if isinstance(value, str) and value in tuple(Rules):
        return Rules(value)
    found = _FLAGS.get(str(value).lower())
    if found is None:
        raise ValueError(f"use one of {', '.join(Rules)}")
    return Rules.ON if found else Rules.OFF


def place(value: Any) -> str | Path:
    """Take the URL of a database, or the path of a file; the caller makes it absolute."""
    if isinstance(value, str) and "://" in value:
        return value.strip()
    try:
        return folder(value)
    except ValueError:
        raise ValueError("use the URL of a database, or the path of a file") from None


def name(value: Any) -> str:
    """Take a name; what it may be is for those to say who use it."""
    if not isinstance(value, str):
        raise ValueError("use a name")
    return value.strip()


def code(value: Any) -> str:
    """Take which code commit goes with a record."""
    found = str(value).upper()
    if found in ("HEAD", "WORKTREE"):
        return found
    if found in ("", "NONE"):
        return ""
    raise ValueError("use HEAD, WORKTREE or none")


def flag(value: Any) -> bool:
    """Take true or false."""
    found = _FLAGS.get(str(value).lower())
    if found is None:
        raise ValueError("use true or false")
    return found


def tokens(value: Any) -> int:
    """Take a whole number of tokens."""
    text = str(value).replace("_", "")
    if isinstance(value, bool) or not text.isascii() or not text.isdigit() or len(text) > 18:
        raise ValueError("use a whole number of tokens, 0 or more")
    return int(text)


def size(value: Any) -> int | None:
    """Take bytes, with or without a unit ("2 GiB"); 0 and "none" mean no cap."""
    if str(value).lower() == "none":
        return None
    found = _SIZE.fullmatch(str(value).replace("_", "").strip())
    if isinstance(value, bool) or not found:
        raise ValueError('use a number of bytes, or a size such as "2 GiB"')
    number, unit, binary = found.groups()
    if len(number) > 18:
        raise ValueError("use less: no disk is so large")
    base = 1024 if binary else 1000
    return int(float(number) * base ** " kmgt".index(unit.lower() or " ")) or None


def globs(value: Any) -> tuple[str, ...]:
    """Take a list of globs, or one string with commas between them."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError('use a list of strings, such as ["git diff*"]')
    return tuple(item.strip() for item in items if item.strip())


def patterns(value: Any) -> tuple[str, ...]:
    """Take globs, and RE2 patterns between slashes."""
    found = globs(value)
    for item in found:
        if is_pattern(item):
            program(item)
    return found


def is_pattern(text: str) -> bool:
    """Return whether a command exclusion is a pattern and not a glob."""
    return len(text) > 2 and text[0] == text[-1] == "/"


def program(pattern: str) -> Pattern:
    """Return the RE2 program of a pattern between slashes."""
    try:
        return compiled(pattern[1:-1])
    except ValueError as error:
        raise ValueError(f"{pattern[:80]!r} is {error}") from None


def folder(value: Any) -> Path:
    """Take a folder; the caller makes it absolute."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError("use the path of a folder")
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise ValueError(f"{error} Use the path of a folder") from None


def prices(value: Any) -> Prices:
    """Take tables of prices by model."""
    if not isinstance(value, dict):
        raise ValueError('use tables, such as [prices."my-model"] with input = 3.0')
    return {model: _price(model, table) for model, table in value.items()}


def _price(model: str, table: Any) -> Mapping[str, float]:
    if not isinstance(table, dict):
        raise ValueError(f'{model!r} must be a table, such as [prices."{model}"]')
    for name, number in table.items():
        if name not in PRICE_FIELDS:
            raise ValueError(f"{model!r} has no field {name!r}: use {', '.join(PRICE_FIELDS)}")
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < 1e9:
            raise ValueError(f"{name} of {model!r} must be dollars per million tokens, 0 or more")
    return {name: float(number) for name, number in table.items()}


PARSERS = {
    "mode": mode,
    "exclude_tools": globs,
    "exclude_commands": patterns,
    "observation_tokens": tokens,
    "min_tokens": tokens,
    "archive_cap": size,
    "prices": prices,
    "data": folder,
    "memory": remember,
    "memory_branch": name,
    "memory_code": code,
    "memory_model": name,
    "lossless": flag,
    "rules": rules,
    "pool_url": place,
    "pool_model": name,
    "debug": flag,
}
