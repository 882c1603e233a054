"""The memory commands that keep it well and take it elsewhere; each says what it takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Address = Annotated[str, typer.Argument(help="https, ssh, host:path or a path; default: the last.")]
Many = list[str] | None
Policy = Annotated[str, typer.Option(help="ours, theirs, both or agent, for what went apart.")]
Resolve = Annotated[
    Many, typer.Option(metavar="ITEM=CHOICE", help="Settles one conflict; may be repeated.")
]


app = typer.Typer()


@app.command()
def forget(
    text: Annotated[str, typer.Argument(help="What is to be in no object any more.")] = "",
    pattern: Annotated[str, typer.Option(metavar="RE", help="What matches (RE2).")] = "",
    record: Annotated[
        Many, typer.Option(metavar="ID", help="A record with its steps; may be repeated.")
    ] = None,
    session: Annotated[str, typer.Option(help="All of a session.")] = "",
    archive: Annotated[
        bool, typer.Option("--archive", help="Remove the originals that hold it, too.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; else only say what would go.")] = False,
    json: Json = False,
) -> None:
    """Rewrite all branches without something, and prove that no object holds it."""
    from agentctx.cli import memory_care

    memory_care.forget(text, pattern, record or [], session, archive=archive, yes=yes, as_json=json)


@app.command()
def push(address: Address = "", json: Json = False) -> None:
    """Send all branches through your git; never over what is new there."""
    from agentctx.cli import memory_travel

    memory_travel.push(address, as_json=json)


@app.command()
def pull(
    address: Address = "", policy: Policy = "agent", resolve: Resolve = None, json: Json = False
) -> int:
    """Take what is new elsewhere; merge what went on in both places."""
    from agentctx.cli import memory_travel

    return memory_travel.pull(address, policy, resolve or [], as_json=json)


@app.command()
def clone(
    address: Annotated[str, typer.Argument(help="Where the memory is.")], json: Json = False
) -> None:
    """Take a whole memory into a project that has none."""
    from agentctx.cli import memory_travel

    memory_travel.clone(address, as_json=json)


@app.command()
def export(folder: Annotated[Path, typer.Argument(help="A new one.")], json: Json = False) -> None:
    """Write the layout of the paper: main.md, branches/NAME/commit.md, log.md, metadata.yaml."""
    from agentctx.cli import memory_travel

    memory_travel.export(folder, as_json=json)


@app.command("import")
def take(
    folder: Annotated[Path, typer.Argument(help="A .GCC folder, Contexa's too.")],
    own: Annotated[
        bool, typer.Option("--own", help="It is your own export: believe its labels of trust.")
    ] = False,
    json: Json = False,
) -> None:
    """Add what such a folder holds; nobody's words in it count as yours without --own."""
    from agentctx.cli import memory_travel

    memory_travel.take(folder, own=own, as_json=json)


@app.command()
def verify(json: Json = False) -> int:
    """Check every object, record, journal and the index; git fsck too where there is git."""
    from agentctx.cli import memory_care

    return memory_care.verify(as_json=json)


@app.command()
def gc(
    cap: Annotated[
        int | None, typer.Option(min=0, help="Bytes; old archived branches go to keep below.")
    ] = None,
    json: Json = False,
) -> None:
    """Pack everything and drop what nothing leads to."""
    from agentctx.cli import memory_care

    memory_care.gc(cap, as_json=json)
