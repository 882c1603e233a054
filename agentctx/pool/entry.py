"""Entry: a rule as the pool holds it, and how it lies in a database row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentctx.errors import PoolError, RuleError
from agentctx.pool.outcome import NOTHING, Outcome
from agentctx.terminal.rules.rule import Rule, Status
from agentctx.terminal.rules.table import rule_of, table_of
from agentctx.values import content_id

LARGEST = 1 << 16
"""Bytes of a rule with its samples, and of its evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One step in the life of a rule: what it became, and why."""

    status: Status
    why: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A rule with where it comes from and what became of it.

    Attributes:
        rule: with its samples, whose outputs stand in them.
        scope: the commands it was made for, such as "git clone"; "" for those of its trigger.
        digest: the content id of its table as JSON, without status and counts.
        parent: the id of the rule that it succeeds.
        evidence: what the gate found.
        outcome: the counts over all scopes.
    """

    rule: Rule
    scope: str = ""
    digest: str = ""
    parent: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    outcome: Outcome = NOTHING

    @property
    def rank(self) -> float:
        """What it has saved, here and when it was tried, times how far it can be trusted."""
        return self.outcome.confidence * (self.outcome.saved + int(self.evidence.get("saved", 0)))

    def row(self) -> dict[str, Any]:
        """Return the values of its row.

        Raises:
            PoolError: it is too large.
        """
        body, evidence = _body(self.rule), _json(dict(self.evidence))
        if max(len(body), len(evidence)) > LARGEST:
            raise PoolError(
                f"rule {self.rule.rule_id!r} has more than {LARGEST >> 10} KiB: shorten its samples"
            )
        return {
            "rule_id": self.rule.rule_id,
            "scope": self.scope,
            "status": str(self.rule.status),
            "body": body,
            "digest": content_id(body),
            "parent": self.parent,
            "evidence": evidence,
        }

    @classmethod
    def of(cls, row: Any, outcome: Outcome) -> Entry:
        """Read a row.

        Raises:
            PoolError: something else than `row` wrote it, or it was changed since.
        """
        if content_id(row.body) != row.digest:
            raise PoolError(
                f"rule {row.rule_id!r} of the pool was changed by hand: remove it there"
            )
        try:
            rule = replace(rule_of(json.loads(row.body)), status=Status(row.status))
            evidence = json.loads(row.evidence)
        except (ValueError, RuleError) as error:
            raise PoolError(f"rule {row.rule_id!r} of the pool: {error}: remove it there") from None
        counted = replace(rule, times_applied=outcome.applied, times_complained=outcome.complained)
        return cls(
            rule=counted,
            scope=row.scope,
            digest=row.digest,
            parent=row.parent,
            evidence=evidence if isinstance(evidence, dict) else {},
            outcome=outcome,
        )


def digest(rule: Rule) -> str:
    """Return the content id of a rule, whose samples hold their outputs: of all but its status and counts."""
    return content_id(_body(rule))


def _body(rule: Rule) -> str:
    bare = replace(rule, status=Status.CANDIDATE, times_applied=0, times_complained=0)
    return _json(table_of(bare))


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True)
