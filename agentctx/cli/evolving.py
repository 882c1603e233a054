"""`agentctx rules learn` without runs: from what sessions saw here."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from agentctx.cli.output import print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentctx.evolve.evolution import Step


def evolve(model: str, *, as_json: bool) -> None:
    """Let rules evolve, and say what became of each.

    Raises:
        AgentctxError: the data folder or the pool cannot be read or written.
    """
    from agentctx import config
    from agentctx.cli.evaluate import progress
    from agentctx.evolve.evolution import Evolution
    from agentctx.stores import Stores

    settings = config.load()
    stores = Stores(replace(settings, pool_model=model or settings.pool_model))
    with progress("learning") as advance, stores.pool() as pool:
        steps = Evolution(stores, pool).run(advance)
    outputs = sum(1 for _ in stores.diary.seen())
    if as_json:
        print_json({"outputs": outputs, "steps": [asdict(step) for step in steps]})
    else:
        _show(steps, outputs)


def _show(steps: Sequence[Step], outputs: int) -> None:
    from rich.table import Table

    table = Table("rule", "became", "tokens saved", "because", box=None)
    for step in steps:
        table.add_row(step.rule_id, step.became, f"{step.saved:,}", step.why)
    if steps:
        print_table(table)
    print_table(f"{len(steps)} rules changed or refused; {outputs:,} outputs are remembered here")
