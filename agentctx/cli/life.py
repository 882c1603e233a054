"""`agentctx rules show --why`: where a rule comes from, what proved it, what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentctx.pool import Change, Entry, Outcome
    from agentctx.terminal.rules.rule import Rule

POOL = Path("the pool")


@dataclass(frozen=True, slots=True)
class Life:
    """What the pool knows of a rule: its entry, its outcomes by scope, its changes."""

    entry: Entry | None = None
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()

    @property
    def rule(self) -> Rule | None:
        """The rule as the pool holds it, if it does."""
        return self.entry.rule if self.entry else None

    def plain(self, rule: Rule) -> dict[str, Any]:
        """Return it for JSON; the rule itself may be of a pack."""
        from agentctx.pool import digest

        entry = self.entry
        return {
            "digest": digest(rule),
            "parent": entry.parent if entry else "",
            "evidence": dict(entry.evidence) if entry else {},
            "outcomes": {scope: asdict(outcome) for scope, outcome in self.outcomes.items()},
            "changes": [asdict(change) for change in self.changes],
        }

    def lines(self, rule: Rule) -> Iterator[str]:
        """Yield it for people; the rule itself may be of a pack."""
        from agentctx.pool import digest

        yield f"digest: {digest(rule)}"
        if self.entry is None:
            yield "it ships with agentctx, or is of a pack here; its tests prove it"
        else:
            yield f"comes from: {self.entry.rule.provenance or 'no word of it'}"
            if self.entry.parent:
                yield f"succeeds {self.entry.parent} for {self.entry.scope}"
            yield from (f"proof: {name} {value}" for name, value in self.entry.evidence.items())
        for change in self.changes:
            when = datetime.fromtimestamp(change.at, UTC).isoformat(" ", "minutes")
            yield f"{when} became {change.status}: {change.why or 'no word of why'}"
        for scope, found in self.outcomes.items():
            yield (
                f"{scope or 'anywhere'}: {found.applied:,} outputs, {found.saved:,} tokens saved, "
                f"{found.complained:,} came back for {found.released:,} tokens, "
                f"confidence {found.confidence:.2f}"
            )


def of(rule_id: str) -> Life:
    """Return what the pool knows of a rule.

    Raises:
        LedgerError: it cannot be read.
        PoolError: the rule was changed by hand.
    """
    from agentctx import config
    from agentctx.stores import Stores

    with Stores(config.load()).pool() as pool:
        outcomes = {
            scope: found for (name, scope), found in pool.outcomes().items() if name == rule_id
        }
        return Life(pool.get(rule_id), outcomes, pool.history(rule_id))
