"""The memory commands that tell what an agent would be told."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from agentctx.cli.memory.place import opened
from agentctx.cli.memory.told import tell
from agentctx.cli.options import Budget, Json, MinTrust, OnBranch
from agentctx.cli.output import given, print_json
from agentctx.memory.texts import plain
from agentctx.values import Trust

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
    _recall(asked, min_trust, budget, as_json=json)


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
    asked = {"level": "search", "query": query, "k": k, "branch": branch}
    _recall(asked, min_trust, budget, as_json=json)


@app.command()
def state(branch: OnBranch = "", budget: Budget = None, json: Json = False) -> None:
    """Print where the work stands, as it is given back to an agent."""
    from agentctx.memory.state.render import BUDGET, render
    from agentctx.tokens import counter

    with opened(branch) as memory:
        found = memory.state()
    text = render(found, count=counter().count, budget=budget or BUDGET)
    tell({"state": plain(found), "text": text}, text, as_json=json)


@app.command()
def handoff(
    known: Annotated[str, typer.Option(help="What the receiver knows; - is stdin.")] = "",
    window: Annotated[int | None, typer.Option(min=1, help="Tokens it can take.")] = None,
    budget: Annotated[int, typer.Option(min=1, help="Tokens to send at most.")] = 600,
    branch: OnBranch = "",
    json: Json = False,
) -> None:
    """Print what another agent should be told, if anything, and say why."""
    from agentctx.memory.state.handoff import Receiver
    from agentctx.memory.state.handoff import handoff as handed
    from agentctx.tokens import counter

    to = Receiver(known=given(known), window=window)
    with opened(branch) as memory:
        found = handed(memory.state(), to, budget, count=counter().count, steps=memory.live())
    if json:
        print_json(plain(found))
        return
    if found.text:
        typer.echo(found.text)
    typer.echo(found.why, err=True)


def _recall(asked: dict[str, Any], min_trust: str, budget: int | None, *, as_json: bool) -> None:
    from agentctx.memory.recall import Request

    if min_trust.upper() not in Trust.__members__:
        known = ", ".join(one.name.lower() for one in Trust)
        raise typer.BadParameter(f"--min-trust {min_trust[:40]!r}: use one of {known}")
    with opened() as memory:
        found = memory.context(Request(**asked, min_trust=Trust[min_trust.upper()]), budget=budget)
    tell(found, found.text, as_json=as_json)
