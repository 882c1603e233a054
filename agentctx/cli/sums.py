"""`agentctx stats`: what was saved and spent."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from agentctx import config
from agentctx.cli.output import print_json, print_table
from agentctx.errors import DataError
from agentctx.prices import cost, price
from agentctx.stores import LEDGER, Stores

if TYPE_CHECKING:
    from rich.table import Table

    from agentctx.totals import Stats
    from agentctx.values import Usage


def show(session: str | None, *, as_json: bool) -> None:
    """Print the sums over one session or all.

    Raises:
        ConfigError: the settings cannot be used.
        DataError: nothing is recorded of that session.
        LedgerError: the ledger cannot be read.
    """
    settings = config.load()
    folder = settings.data
    if not (folder / LEDGER).exists():
        print_json({"data": str(folder), "observations": 0, "calls": 0}) if as_json else _nothing(
            str(folder)
        )
        return
    found = Stores(settings).ledger.stats(session)
    if session is not None and not (found.sessions or found.calls or found.expanded):
        raise DataError(f"no session {session!r} in {folder}: leave out --session to see all")
    dollars = {
        model: cost(usage, price(model, settings.prices)) for model, usage in found.models.items()
    }
    if as_json:
        print_json({"data": str(folder), **asdict(found), "dollars": dollars})
    else:
        print_table(_table(found, dollars))


def _nothing(folder: str) -> None:
    import typer

    typer.echo(f"Nothing is recorded in {folder} yet: try agentctx exec -- git log")


def _table(found: Stats, dollars: dict[str, float | None]) -> Table:
    from rich.table import Table

    saved = found.tokens_before - found.tokens_after
    share = f" ({saved / found.tokens_before:.1%})" if found.tokens_before else ""
    table = Table(show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("sessions", f"{found.sessions:,}")
    table.add_row("observations", f"{found.observations:,}")
    table.add_row("  reduced", f"{found.reduced:,}")
    table.add_row("  tokens raw", f"{found.tokens_before:,}")
    table.add_row("  tokens shown", f"{found.tokens_after:,}")
    table.add_row("  tokens saved", f"{saved:,}{share}")
    table.add_row("expanded", f"{found.expanded:,}")
    table.add_row("model calls", f"{found.calls:,}", end_section=True)
    for model, usage in found.models.items():
        spent = dollars[model]
        table.add_row(
            model or "(unnamed model)", "price unknown" if spent is None else f"${spent:.4f}"
        )
        table.add_row("  fresh · cache read · written", _split(usage))
        table.add_row("  output", f"{usage.output:,}")
    return table


def _split(usage: Usage) -> str:
    written = usage.cache_write + usage.cache_write_1h
    return f"{usage.input:,} · {usage.cache_read:,} · {written:,}"
