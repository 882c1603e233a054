"""Successor: a rule for one scope that keeps the lines for which agents came back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentctx.learn.template import template
from agentctx.terminal.rules.rule import LONGEST, MOST, Rule, Status
from agentctx.terminal.rules.scope import Scope

_MARK = "~"
_NO_NAME = re.compile(r"[^\w.]+")


def successors(rule: Rule, scope: Scope, lines: Sequence[str]) -> Iterator[Rule]:
    """Yield what may succeed a rule in a scope, the most general one first.

    The first keeps all lines of the kinds that were needed, the second only these lines.
    """
    needed = [line for line in dict.fromkeys(lines) if line.strip()]
    kinds = [pattern for line in needed if (pattern := template(line))]
    exact = [f"^{re.escape(line)}$" for line in needed]
    for patterns in (kinds, exact):
        fitting = [pattern for pattern in patterns if len(pattern) <= LONGEST]
        keeps = tuple(dict.fromkeys((*rule.keep_patterns, *fitting)))
        if fitting and len(keeps) <= MOST:
            yield replace(
                rule,
                rule_id=_name(rule, scope),
                trigger_regex=scope.trigger,
                keep_patterns=keeps,
                not_for=(),
                tests=(),
                version=rule.version + 1,
                times_applied=0,
                times_complained=0,
                provenance=f"succeeds {rule.rule_id}: agents came back for {len(needed)} lines",
                status=Status.CANDIDATE,
            )


def _name(rule: Rule, scope: Scope) -> str:
    root = rule.rule_id.partition(_MARK)[0]
    return f"{root}{_MARK}{_NO_NAME.sub('-', str(scope))}.{rule.version + 1}"[:100]
