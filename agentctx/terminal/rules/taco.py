"""TACO's JSON: a pool as its `rule_cache.py` writes it, {category: [rule, …]}, read and written."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from agentctx.errors import RuleError
from agentctx.terminal.rules.rule import Rule, Status
from agentctx.terminal.rules.table import rule_of

FIELDS = (
    *("rule_id", "trigger_regex", "description", "keep_patterns", "strip_patterns"),
    *("keep_first_n", "keep_last_n", "max_lines", "summary_header", "priority", "confidence"),
    *("times_applied", "times_complained"),
)
"""Those of `CompressionRule`, in the order of its `models.py`."""

GENERAL = "general"
"""The category that the published release knows."""

_FROM = "TACO pool: "
_NULLABLE = ("max_lines", "summary_header")
_SURROGATE = re.compile("[\ud800-\udfff]")


def loads(text: str, refused: Callable[[RuleError], object]) -> tuple[Rule, ...]:
    """Return the rules of a pool, or of a bare list, as candidates.

    A rule that cannot be used is told to `refused`, and the others are returned.

    Raises:
        RuleError: the text is no such JSON.
    """
    try:
        given = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise RuleError(f"not valid JSON: {error}: export the pool again") from None
    pool = {GENERAL: given} if isinstance(given, list) else given
    if not isinstance(pool, dict) or not all(isinstance(each, list) for each in pool.values()):
        raise RuleError("no TACO pool: give {category: [rule, …]} or a list of rules")
    found: dict[str, Rule] = {}
    for category, rules in pool.items():
        if not category.isprintable():
            raise RuleError(f"category {category[:40]!r}: use printable characters")
        for number, one in enumerate(rules, 1):
            try:
                rule = _rule(one, category)
                if rule.rule_id in found:
                    raise RuleError(f"rule {rule.rule_id!r} is there twice: rename one")
                found[rule.rule_id] = rule
            except RuleError as error:
                refused(RuleError(f"{category[:40]}, rule {number}: {error}"))
    return tuple(found.values())


def dumps(rules: Iterable[Rule]) -> str:
    """Return rules as a pool; those that came from one stand in their category again.

    What TACO does not know of a rule is left out.
    """
    pool: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for rule in rules:
        ours = not rule.provenance.startswith(_FROM)
        category = GENERAL if ours else rule.provenance.removeprefix(_FROM)
        pool[category].append(_table(rule))
    return json.dumps(pool, indent=2) + "\n"


def _rule(given: Any, category: str) -> Rule:
    if not isinstance(given, dict):
        raise RuleError(f"{str(given)[:40]!r} is no table: write the fields of a rule")
    if strange := next((name for name in given if name not in FIELDS), ""):
        raise RuleError(f"no field {strange[:40]!r}: use one of {', '.join(FIELDS)}")
    for name, value in given.items():
        if isinstance(value, str) and _SURROGATE.search(value):
            raise RuleError(f"{name} = {value[:40]!r}: half a character: write it whole")
    table = {n: v for n, v in given.items() if v is not None or n not in _NULLABLE}
    rule = rule_of(table)
    return replace(rule, status=Status.CANDIDATE, provenance=f"{_FROM}{category}")


def _table(rule: Rule) -> dict[str, Any]:
    values = ((name, getattr(rule, name)) for name in FIELDS)
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return table


def _no_constant(name: str) -> Iterator[Any]:
    raise ValueError(f"{name} is no number")
