"""The memory commands that only look; each says what it takes."""

from __future__ import annotations

from typing import Annotated

import typer

from agentctx.cli.output import given

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OnBranch = Annotated[
    str, typer.Option("--branch", metavar="NAME", help="Instead of the one switched to.")
]
Budget = Annotated[int | None, typer.Option(min=1, help="Tokens that the answer may take at most.")]
MinTrust = Annotated[
    str, typer.Option(metavar="LEVEL", help="Leave out what is trusted less: user, model, tool.")
]


app = typer.Typer()


@app.command()
def context(
    branch: Annotated[
        str, typer.Option(metavar="NAME", help="Its intent and newest records.")
    ] = "",
    commit: Annotated[
        str, typer.Option(metavar="ID", help="One record, all of it; an id or hash.")
    ] = "",
    log: Annotated[
        bool, typer.Option("--log", help="The steps of a record, or the open ones.")
    ] = False,
    metadata: Annotated[str, typer.Option(metavar="SEGMENT", help="One metadata segment.")] = "",
    search: Annotated[str, typer.Option(metavar="WORDS", help="Records that fit.")] = "",
    k: Annotated[int, typer.Option("-k", min=1, help="How many records or hits.")] = 1,
    cursor: Annotated[str, typer.Option(help="Where the last answer ended.")] = "",
    min_trust: MinTrust = "untrusted",
    budget: Budget = None,
    json: Json = False,
) -> None:
    """Recall: no option for the status; then a branch, a record, steps, metadata."""
    from agentctx.cli import memory_show

    level = "search" if search else "metadata" if metadata else "log" if log else ""
    level = level or ("commit" if commit else "branch" if branch else "")
    asked = {
        "level": level,
        "branch": branch,
        "commit": commit,
        "segment": metadata,
        "query": search,
        "k": k,
        "cursor": cursor,
    }
    memory_show.context(asked, min_trust, budget, as_json=json)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help='Words, and "phrases".')],
    k: Annotated[int, typer.Option("-k", min=1, help="How many.")] = 10,
    branch: OnBranch = "",
    min_trust: MinTrust = "untrusted",
    budget: Budget = None,
    json: Json = False,
) -> None:
    """Find the records that fit best, on all branches."""
    from agentctx.cli import memory_show

    asked = {"level": "search", "query": query, "k": k, "branch": branch}
    memory_show.context(asked, min_trust, budget, as_json=json)


@app.command()
def history(
    graph: Annotated[bool, typer.Option("--graph", help="Draw all branches.")] = False,
    limit: Annotated[int, typer.Option("-n", min=1, help="How many records.")] = 50,
    branch: OnBranch = "",
    json: Json = False,
) -> None:
    """List the records, newest first: of a branch, or of all with --graph."""
    from agentctx.cli import memory_show

    memory_show.history(branch, limit, graph=graph, as_json=json)


@app.command()
def show(
    id: Annotated[str, typer.Argument(help="A record's id, a git hash, or a branch.")],
    json: Json = False,
) -> None:
    """Show a record with everything in it and its steps."""
    from agentctx.cli import memory_show

    memory_show.record(id, as_json=json)


@app.command()
def diff(
    one: Annotated[str, typer.Argument(metavar="A", help="A branch, record or hash.")],
    other: Annotated[str, typer.Argument(metavar="B", help="Another; default: here.")] = "",
    json: Json = False,
) -> None:
    """Show what differs from A to B: roadmap, metadata, records."""
    from agentctx.cli import memory_show

    memory_show.difference(one, other, as_json=json)


@app.command()
def blame(
    text: Annotated[str, typer.Argument(help="A part of a line, or a record's id.")],
    branch: OnBranch = "",
    json: Json = False,
) -> None:
    """Show which record, step and observation a line comes from."""
    from agentctx.cli import memory_show

    memory_show.blame(text, branch, as_json=json)


@app.command()
def operations(
    limit: Annotated[int, typer.Option("-n", min=1, help="How many.")] = 20, json: Json = False
) -> None:
    """List what was done to this memory, newest first; undo takes their ids."""
    from agentctx.cli import memory_show

    memory_show.operations(limit, as_json=json)


@app.command()
def state(branch: OnBranch = "", budget: Budget = None, json: Json = False) -> None:
    """Print where the work stands, as it is given back to an agent."""
    from agentctx.cli import memory_show

    memory_show.state(branch, budget, as_json=json)


@app.command()
def handoff(
    known: Annotated[str, typer.Option(help="What the receiver knows; - is stdin.")] = "",
    window: Annotated[int | None, typer.Option(min=1, help="Tokens it can take.")] = None,
    budget: Annotated[int, typer.Option(min=1, help="Tokens to send at most.")] = 600,
    branch: OnBranch = "",
    json: Json = False,
) -> None:
    """Print what another agent should be told, if anything, and say why."""
    from agentctx.cli import memory_show

    memory_show.handoff(given(known), window, budget, branch, as_json=json)
