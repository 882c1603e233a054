"""Tally: what came of rules in a data folder, told to the pool once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from agentctx.diary import Diary
from agentctx.errors import ArchiveError
from agentctx.evolve.blame import blamed, scopes
from agentctx.ledger import Decision
from agentctx.pool import Outcome, Pool
from agentctx.stores import Stores
from agentctx.terminal.rules.rule import Rule

_BATCH = 500


def tally(stores: Stores, pool: Pool, rules: Sequence[Rule]) -> None:
    """Add to the pool what was decided here since the last time, and the complaints.

    Raises:
        LedgerError: the ledger cannot be read, or the pool cannot be written.
    """
    source = f"{stores.diary.id}:decisions"
    mark = pool.mark(source)
    while decided := stores.ledger.since(mark, _BATCH):
        counts: dict[tuple[str, str], Outcome] = defaultdict(Outcome)
        for _, decision in decided:
            for key, outcome in _applied(decision, stores, rules):
                counts[key] += outcome
        mark = decided[-1][0]
        pool.count(counts, source=source, mark=mark)
    _complained(stores.diary, pool)


def _complained(diary: Diary, pool: Pool) -> None:
    source = f"{diary.id}:complaints"
    new = diary.since(pool.mark(source))
    counts: dict[tuple[str, str], Outcome] = defaultdict(Outcome)
    for one in new:
        counts[one.rule_id, one.scope] += Outcome(complained=1, released=one.released)
    if new:
        pool.count(counts, source=source, mark=new[-1].number)


def _applied(
    decision: Decision, stores: Stores, rules: Sequence[Rule]
) -> Iterable[tuple[tuple[str, str], Outcome]]:
    found = list(blamed(decision, rules)) if decision.handle else []
    command = _command(decision.handle, stores) if found else ""
    for blame in found:
        scope = next(map(str, scopes(blame.rule, command)), "")
        yield (blame.rule.rule_id, scope), Outcome(applied=1, saved=blame.tokens)


def _command(handle: str, stores: Stores) -> str:
    try:
        return stores.archive.command(stores.resolve(handle))
    except ArchiveError:  # the size cap has removed it
        return ""
