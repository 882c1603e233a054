"""The memory commands that take it elsewhere and bring it back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentctx import config
from agentctx.cli.memory import conflicts
from agentctx.cli.memory.place import opened
from agentctx.cli.memory.told import tell
from agentctx.cli.options import Json, Resolve
from agentctx.stores import Stores

if TYPE_CHECKING:
    from agentctx.memory.gcc import Exchanged
    from agentctx.memory.remote import Pulled

Address = Annotated[str, typer.Argument(help="https, ssh, host:path or a path; default: the last.")]

app = typer.Typer()


@app.command()
def push(address: Address = "", json: Json = False) -> None:
    """Send all branches through your git; never over what is new there."""
    from agentctx.memory.remote import Remote

    with opened() as memory:
        done = Remote(memory, address).push()
    gone = f"; closed there: {_names(done.dropped)}" if done.dropped else ""
    tell(done, f"Pushed {_names(done.refs) or 'nothing new'}{gone}", as_json=json)


@app.command()
def pull(
    address: Address = "",
    policy: Annotated[
        str, typer.Option(help="ours, theirs, both or agent, for what went apart.")
    ] = "agent",
    resolve: Resolve = None,
    json: Json = False,
) -> int:
    """Take what is new elsewhere; merge what went on in both places."""
    from agentctx.memory.remote import Remote

    resolutions = conflicts.settled(policy, resolve or ())
    with opened() as memory:
        done = Remote(memory, address).pull(policy, resolutions)
    tell(done, _pulled(done), as_json=json)
    if done.conflicts and not json:
        conflicts.show(done.conflicts, as_json=False)
    return 1 if done.conflicts else 0


@app.command()
def clone(
    address: Annotated[str, typer.Argument(help="Where the memory is.")], json: Json = False
) -> None:
    """Take a whole memory into a project that has none."""
    from agentctx.memory.remote import Remote

    with opened() as memory:
        done = Remote(memory, address).clone()
    tell(done, _pulled(done), as_json=json)


@app.command()
def export(folder: Annotated[Path, typer.Argument(help="A new one.")], json: Json = False) -> None:
    """Write the layout of the paper: main.md, branches/NAME/commit.md, log.md, metadata.yaml."""
    from agentctx.memory.gcc import export as written

    with opened() as memory:
        done = written(memory, folder)
    tell(done, f"Wrote {_counts(done)} to {folder}", as_json=json)


@app.command("import")
def take(
    folder: Annotated[Path, typer.Argument(help="A .GCC folder, Contexa's too.")],
    own: Annotated[
        bool, typer.Option("--own", help="It is your own export: believe its labels of trust.")
    ] = False,
    json: Json = False,
) -> None:
    """Add what such a folder holds; nobody's words in it count as yours without --own."""
    from agentctx.memory.gcc import take_in
    from agentctx.memory.gcc.reading import Customs
    from agentctx.memory.hygiene import safely

    redactor = Stores(config.load()).redactor
    customs = Customs(safe=lambda text: safely(text, redactor.redact), own=own, now=time.time())
    with opened() as memory:
        done = take_in(memory, folder, customs)
    tell(done, _taken(done), as_json=json)


def _taken(done: Exchanged) -> str:
    lines = [f"Added {_counts(done)}"]
    lines += [f"{folder!r} became branch {name!r}" for folder, name in done.renamed.items()]
    if done.ignored:
        shown = ", ".join(done.ignored[:5])
        lines.append(f"left alone: {len(done.ignored)} other files, such as {shown}")
    return "\n".join(lines)


def _pulled(done: Pulled) -> str:
    moved = f"Pulled {_names(done.moved)}" if done.moved else ""
    merged = f"Merged {', '.join(done.merged)}" if done.merged else ""
    what = "; ".join(filter(None, (moved, merged)))
    return what or ("Pulled nothing" if done.conflicts else "Pulled nothing new")


def _counts(done: Exchanged) -> str:
    branches = f"{done.branches} branch{'' if done.branches == 1 else 'es'}"
    return f"{_some(done.records, 'record')} and {_some(done.steps, 'step')} of {branches}"


def _some(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _names(refs: Sequence[str]) -> str:
    return ", ".join(ref.removeprefix("refs/").removeprefix("heads/") for ref in refs)
