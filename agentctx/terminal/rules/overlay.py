"""Overlay: what a data folder knows better than the packs: rules from the pool, and rules in doubt."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentctx.errors import RuleError
from agentctx.files import private_folder, publish, remedy, scratch
from agentctx.patterns import compiled
from agentctx.terminal.rules.rule import MOST, Rule
from agentctx.terminal.rules.table import rule_of, table_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """Laid over the rules of packs when a book is made.

    Attributes:
        rules: more rules; one replaces that of its id.
        not_for: by the id of a rule, patterns of commands for which it is not used, each with the
            time until when (in seconds since 1970; 0: for good).
        retired: ids of rules that are not used at all.
    """

    rules: tuple[Rule, ...] = ()
    not_for: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    retired: frozenset[str] = frozenset()

    def over(self, rules: Iterable[Rule], now: float) -> tuple[Rule, ...]:
        """Return the rules that hold at a time."""
        found = {rule.rule_id: rule for rule in (*rules, *self.rules)}
        return tuple(
            self._spared(rule, now) for rule in found.values() if rule.rule_id not in self.retired
        )

    def spare(self, rule_id: str, pattern: str, until: float = 0.0) -> Overlay:
        """Return it with a rule that is not used for some commands any more."""
        patterns = {**self.not_for.get(rule_id, {}), pattern: until}
        if len(patterns) > MOST:
            return replace(self, retired=self.retired | {rule_id})
        return replace(self, not_for={**self.not_for, rule_id: patterns})

    def _spared(self, rule: Rule, now: float) -> Rule:
        given = self.not_for.get(rule.rule_id, {})
        patterns = [pattern for pattern, until in given.items() if not until or now < until]
        return replace(rule, not_for=(*rule.not_for, *patterns)) if patterns else rule


def load(path: Path) -> Overlay:
    """Return the overlay of a file, an empty one where there is none.

    Raises:
        RuleError: it cannot be read.
    """
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Overlay()
    except (OSError, ValueError, RecursionError) as error:
        raise RuleError(
            f"{path}: {error}: remove it, agentctx rules learn writes it anew"
        ) from None
    try:
        return Overlay(
            rules=tuple(map(rule_of, given["rules"])),
            not_for={name: _times(each) for name, each in given["not_for"].items()},
            retired=frozenset(_texts(given["retired"])),
        )
    except (AttributeError, KeyError, TypeError, ValueError, RuleError) as error:
        raise RuleError(
            f"{path}: {error}: remove it, agentctx rules learn writes it anew"
        ) from None


def laid_over(path: Path, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules that hold now with the overlay of a file.

    Raises:
        RuleError: it cannot be read.
    """
    return load(path).over(rules, time.time())


def save(overlay: Overlay, path: Path) -> None:
    """Write an overlay, all of it or nothing.

    Raises:
        RuleError: it cannot be written.
    """
    table = {
        "rules": [table_of(rule) for rule in overlay.rules],
        "not_for": {name: dict(patterns) for name, patterns in overlay.not_for.items()},
        "retired": sorted(overlay.retired),
    }
    try:
        private_folder(path.parent)
        with scratch(path.parent) as (file, place):
            file.write(json.dumps(table, indent=1).encode())
            publish(file, place, path)
    except OSError as error:
        raise RuleError(f"{path}: {remedy(error)}") from None


def _texts(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise TypeError(f"{str(given)[:40]!r} is no list of texts")
    return tuple(given)


def _times(given: Any) -> dict[str, float]:
    for pattern in given:
        compiled(pattern)
    return {pattern: float(until) for pattern, until in given.items()}
