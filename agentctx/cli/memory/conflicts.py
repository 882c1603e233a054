"""Conflicts on the command line: how they are shown, and how they are settled."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from agentctx.cli.output import print_json
from agentctx.errors import MemoryStoreError
from agentctx.memory.merge import policies
from agentctx.memory.records import Conflict
from agentctx.memory.texts import plain


def settled(policy: str, resolve: Sequence[str]) -> dict[str, str]:
    """Return what is chosen for each item; wrong usage if one names none, or for no such policy."""
    chosen = dict(map(_resolution, resolve))
    try:
        policies.policy(policy, chosen)
    except MemoryStoreError as error:
        raise typer.BadParameter(str(error)) from None
    return chosen


def show(conflicts: Sequence[Conflict], *, as_json: bool) -> None:
    """Print every item that disagrees with what it was and what both sides made of it."""
    if as_json:
        print_json({"conflicts": plain(conflicts)})
        return
    for conflict in conflicts:
        typer.echo(f"{conflict.branch} and {conflict.into} disagree; nothing has changed:")
        for clash in conflict.clashes:
            typer.echo(f"  {clash.item}")
            for side in ("base", "ours", "theirs"):
                typer.echo(f"    {side:7}{_side(getattr(clash, side))}")
    item = conflicts[0].clashes[0].item
    typer.echo(
        f"Settle them with --policy ours|theirs|both, or one by one: --resolve '{item}=theirs'"
    )


def _resolution(text: str) -> tuple[str, str]:
    item, equals, choice = text.partition("=")
    if not (item and equals):
        raise typer.BadParameter(f"--resolve {text!r}: write ITEM=ours, ITEM=theirs or ITEM=TEXT")
    return item, choice


def _side(text: str | None) -> str:
    return "(none)" if text is None else text.replace("\n", f"\n{'':11}")
