"""`agentctx rules stats`: what each rule saved, what it cost, how far it is trusted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from agentctx.cli.output import print_json, print_table

if TYPE_CHECKING:
    from agentctx.pool import Outcome
    from agentctx.stores import Stores


@dataclass(frozen=True, slots=True, kw_only=True)
class Earned:
    """A rule with what came of it; dollars are None where no price is known.

    Tokens are priced as sent once, fresh or to the cache; what is read from a cache in later turns
    comes on top. What was delivered again is taken off.
    """

    rule_id: str
    status: str
    outcome: Outcome
    confidence: float
    dollars: float | None


def show(model: str, *, as_json: bool) -> None:
    """Print what rules did, as far as this data folder and the pool know.

    Raises:
        LedgerError: the ledger or the pool cannot be read.
    """
    from agentctx import config
    from agentctx.stores import Stores

    stores = Stores(config.load())
    model = model or _used_most(stores)
    rows = sorted(_earned(stores, model), key=lambda one: (-one.outcome.saved, one.rule_id))
    if as_json:
        print_json({"model": model, "rules": [asdict(row) for row in rows]})
        return
    from rich.table import Table

    table = Table("rule", "status", box=None)
    for name in ("applied", "tokens saved", "came back", "given back", "net $", "confidence"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            row.rule_id,
            row.status,
            f"{row.outcome.applied:,}",
            f"{row.outcome.saved:,}",
            f"{row.outcome.complained:,}",
            f"{row.outcome.released:,}",
            "?" if row.dollars is None else f"{row.dollars:.4f}",
            f"{row.confidence:.2f}",
        )
    print_table(table)
    print_table(_footnote(model))


def _footnote(model: str) -> str:
    priced = (
        f"at the prices of {model}" if model else "no model is known here: name one with --model"
    )
    return f"Dollars: tokens sent once, without what caches charge in later turns, {priced}."


def _earned(stores: Stores, model: str) -> list[Earned]:
    from agentctx.evolve.evolution import Evolution
    from agentctx.pool import Outcome
    from agentctx.prices import price
    from agentctx.stores import LEDGER

    rate = price(model, stores.settings.prices)
    dollars = (rate.cache_write or rate.input) if rate.known else None
    with stores.pool() as pool:
        evolution = Evolution(stores, pool)
        if (stores.settings.data / LEDGER).exists():
            evolution.count()
        counts = pool.totals()
        statuses = {rule.rule_id: str(rule.status) for rule in evolution.known()}
    return [
        Earned(
            rule_id=rule_id,
            status=statuses.get(rule_id, "gone"),
            outcome=found,
            confidence=found.confidence,
            dollars=None if dollars is None else dollars * (found.saved - found.released),
        )
        for rule_id in statuses.keys() | counts.keys()
        for found in [counts.get(rule_id, Outcome())]
    ]


def _used_most(stores: Stores) -> str:
    from agentctx.stores import LEDGER

    if not (stores.settings.data / LEDGER).exists():
        return ""
    models = stores.ledger.stats().models
    return max(models, key=lambda name: models[name].prompt, default="")
