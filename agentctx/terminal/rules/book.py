"""Book: the rules that may be used, and which of them an output is for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from agentctx.patterns import found, together
from agentctx.terminal.command import printed
from agentctx.terminal.rules.rule import Rule
from agentctx.values import Observation

_SCOPES = 256


class Book:
    """Active rules in the order of their priority; it never changes."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Hold those of the rules that may hide anything."""
        working = (rule for rule in rules if rule.works)
        self.rules = tuple(sorted(working, key=lambda rule: (rule.priority, rule.rule_id)))
        self._triggers = together([rule.trigger_regex for rule in self.rules])

    def chosen(self, observation: Observation, length: int) -> tuple[Rule, ...]:
        """Return the rules for an output of `length` lines, in their order.

        An output that no command is known for, or in which data is printed, has none.
        """
        commands = printed(observation.command)
        numbers = {hit for one in commands for hit in self._triggers(one)}
        return tuple(
            self.rules[number]
            for number in sorted(numbers)
            if _fits(self.rules[number], observation, length)
            and not _spared(self.rules[number], commands)
        )


@lru_cache(_SCOPES)
def patterns(rules: tuple[Rule, ...]) -> Any:
    """Return what tells which patterns of these rules a line matches: all keeps, then all strips."""
    keeps = [pattern for rule in rules for pattern in rule.keep_patterns]
    return together([*keeps, *(pattern for rule in rules for pattern in rule.strip_patterns)])


def _spared(rule: Rule, commands: Iterable[str]) -> bool:
    """Tell whether a rule is not for one of these commands."""
    return any(found(pattern, one) for pattern in rule.not_for for one in commands)


def _fits(rule: Rule, observation: Observation, length: int) -> bool:
    least = max(rule.min_lines, rule.keep_first_n + rule.keep_last_n + 1)
    if length < least or (rule.exit_codes and observation.exit_code not in rule.exit_codes):
        return False
    return not rule.output_match or found(rule.output_match, observation.output)
