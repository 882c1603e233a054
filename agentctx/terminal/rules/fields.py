"""One parser per field of a rule: what a file may say, and what it means.

A parser returns the value, or raises `ValueError` with a remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from agentctx.errors import RuleError
from agentctx.terminal.rules.rule import Status

_HIGHEST = 1 << 31


def text(value: Any) -> str:
    """Take a text."""
    if not isinstance(value, str):
        raise ValueError("use a text")
    return value


def texts(value: Any) -> tuple[str, ...]:
    """Take a list of texts."""
    if not isinstance(value, list):
        raise ValueError("use a list of texts")
    return tuple(map(text, value))


def number(value: Any) -> int:
    """Take a whole number."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _HIGHEST:
        raise ValueError("use a whole number")
    return value


def numbers(value: Any) -> tuple[int, ...]:
    """Take a list of whole numbers."""
    if not isinstance(value, list):
        raise ValueError("use a list of whole numbers")
    return tuple(map(number, value))


def share(value: Any) -> float:
    """Take a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("use a number from 0 to 1")
    return float(value)


def status(value: Any) -> Status:
    """Take one of the states of a rule."""
    if value in tuple(Status):
        return Status(value)
    raise ValueError(f"use one of {', '.join(Status)}")


Parser = Callable[[Any], Any]

RULE: Mapping[str, Parser] = MappingProxyType(
    {
        "rule_id": text,
        "trigger_regex": text,
        "description": text,
        "keep_patterns": texts,
        "strip_patterns": texts,
        "keep_first_n": number,
        "keep_last_n": number,
        "max_lines": number,
        "summary_header": text,
        "priority": number,
        "confidence": share,
        "times_applied": number,
        "times_complained": number,
        "output_match": text,
        "exit_codes": numbers,
        "not_for": texts,
        "min_lines": number,
        "provenance": text,
        "version": number,
        "status": status,
    }
)
SAMPLE: Mapping[str, Parser] = MappingProxyType(
    {
        "command": text,
        "file": text,
        "output": text,
        "exit_code": number,
        "shown": texts,
        "hidden": texts,
        "source": text,
    }
)


def parsed(given: Any, parsers: Mapping[str, Parser]) -> dict[str, Any]:
    """Return the fields of a table as a rule or a sample holds them.

    Raises:
        RuleError: it is no table, a field is unknown, or its value cannot be used.
    """
    if not isinstance(given, Mapping):
        raise RuleError(f"{str(given)[:40]!r} is no table: write the fields of a rule")
    values = {}
    for name, value in given.items():
        if name not in parsers:
            raise RuleError(f"no field {str(name)[:40]!r}: use one of {', '.join(parsers)}")
        try:
            values[name] = parsers[name](value)
        except ValueError as error:
            raise RuleError(f"{name} = {str(value)[:40]!r}: {error}") from None
    return values
