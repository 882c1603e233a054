"""A rule as a table of plain values, as TOML and JSON hold it, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from agentctx.errors import RuleError
from agentctx.terminal.rules.fields import RULE, SAMPLE, parsed
from agentctx.terminal.rules.rule import Rule, Sample, check

_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def rule_of(given: Any, *, known: bool = False) -> Rule:
    """Return the rule that a table holds; the patterns of one that is `known` are not tried.

    Raises:
        RuleError: it cannot be used; the message names the field, the reason and the remedy.
    """
    table = dict(given) if isinstance(given, Mapping) else given
    tests = table.pop("tests", []) if isinstance(table, dict) else []
    values = parsed(table, RULE)
    if missing := [name for name in ("rule_id", "trigger_regex") if not values.get(name)]:
        raise RuleError(f"a rule needs {' and '.join(missing)}")
    if not isinstance(tests, list | tuple):
        raise RuleError("tests: write [[rule.tests]] tables")
    rule = Rule(**values, tests=tuple(map(_sample, tests)))
    if not known:
        check(rule)
    return rule


def table_of(rule: Rule) -> dict[str, Any]:
    """Return the table of a rule, which JSON can hold; `rule_of` takes it back."""
    table: dict[str, Any] = _plain(asdict(rule))
    return table


def _sample(given: Any) -> Sample:
    sample = Sample(**parsed(given, SAMPLE))
    if sample.file and not _FILE.fullmatch(sample.file):
        raise RuleError(f"tests: file = {sample.file[:40]!r}: name a file in samples/")
    return sample


def _plain(value: Any) -> Any:
    """Return a value without tuples, and without fields that are not set."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items() if one is not None}
    return list(map(_plain, value)) if isinstance(value, list | tuple) else value
