"""The memory commands that look at its past: history, show, diff, blame, operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from agentctx.cli.memory.graph import print_graph, print_lines, when
from agentctx.cli.memory.place import opened, view
from agentctx.cli.options import Json, OnBranch
from agentctx.cli.output import print_json
from agentctx.errors import UnknownMemory
from agentctx.memory.texts import plain

if TYPE_CHECKING:
    from rich.text import Text

    from agentctx.memory.look.blame import Origin
    from agentctx.memory.records import Commit, Step

_LONGEST = 400

app = typer.Typer()


@app.command()
def history(
    graph: Annotated[bool, typer.Option("--graph", help="Draw all branches.")] = False,
    limit: Annotated[int, typer.Option("-n", min=1, help="How many records.")] = 50,
    branch: OnBranch = "",
    json: Json = False,
) -> None:
    """List the records, newest first: of a branch, or of all with --graph."""
    with opened(branch) as memory:
        if graph:
            print_graph(memory, limit, as_json=json)
            return
        found = list(islice(view(memory, branch).since(), limit))
    if json:
        print_json(plain(found))
    for record in () if json else found:
        typer.echo(f"{record.id}  {when(record.id)}  {_kind(record)}{record.title}")


@app.command()
def show(
    id: Annotated[str, typer.Argument(help="A record's id, a git hash, or a branch.")],
    json: Json = False,
) -> None:
    """Show a record with everything in it and its steps."""
    with opened() as memory:
        found = view(memory, id)
        made = found.latest
        steps = found.steps(made) if made else ()
        if made:
            with suppress(UnknownMemory):  # another branch's record: nobody trusted it here
                made = memory.snapshot().record(made.id)
    if json:
        print_json({"hash": found.hash, "record": plain(made), "steps": plain(steps)})
    elif made:
        typer.echo("\n".join(_record(made, found.hash, steps)))


@app.command()
def diff(
    one: Annotated[str, typer.Argument(metavar="A", help="A branch, record or hash.")],
    other: Annotated[str, typer.Argument(metavar="B", help="Another; default: here.")] = "",
    json: Json = False,
) -> None:
    """Show what differs from A to B: roadmap, metadata, records."""
    from agentctx.memory.look.difference import difference

    with opened() as memory:
        found = difference(view(memory, one), view(memory, other))
    if json:
        print_json(plain(found))
        return
    lines = [*_heading("main.md", found.roadmap)]
    for name, changed in found.metadata.items():
        lines += _heading(f"metadata/{name}", changed)
    lines += _heading("records", [f"+ {made.id}  {made.title}" for made in found.records])
    lines += _heading("records of A only", [f"- {made.id}  {made.title}" for made in found.gone])
    print_lines(map(_signed, lines or ["no difference"]))


@app.command()
def blame(
    text: Annotated[str, typer.Argument(help="A part of a line, or a record's id.")],
    branch: OnBranch = "",
    json: Json = False,
) -> None:
    """Show which record, step and observation a line comes from."""
    from agentctx.memory.look.blame import blame as blamed

    with opened(branch) as memory:
        found = blamed(view(memory), text)
    if json:
        print_json(plain(found))
        return
    typer.echo("\n\n".join("\n".join(_origin(one)) for one in found))


@app.command()
def operations(
    limit: Annotated[int, typer.Option("-n", min=1, help="How many.")] = 20, json: Json = False
) -> None:
    """List what was done to this memory, newest first; undo takes their ids."""
    with opened() as memory:
        found = list(memory.operations(limit))
    if json:
        rows = [plain(one) for one in found]
        print_json([{k: value for k, value in row.items() if k != "puts"} for row in rows])
    for one in () if json else found:
        refs = ", ".join(move.ref.removeprefix("refs/") for move in one.moves) or "-"
        typer.echo(f"{one.id}  {when(one.id)}  {one.kind}  {refs}  {one.title}".rstrip())


def _signed(line: str) -> Text:
    from rich.text import Text

    style = {"+": "green", "-": "red"}.get(line[:1], "" if line.startswith(" ") else "bold")
    return Text(line, style)


def _heading(name: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    return [name, *found] if found else []


def _record(made: Commit, hash: str, steps: Iterable[Step]) -> Iterator[str]:
    from agentctx.memory.texts import write_commit

    yield f"record {made.id}  commit {hash}  {when(made.id)}"
    yield write_commit(made).rstrip("\n")
    for step in steps:
        yield ""
        yield from _step(step)


def _step(step: Step) -> Iterator[str]:
    code = "" if step.exit_code is None else f" → exit {step.exit_code}"
    yield f"step {step.id}  {step.kind.value}  trust {step.trust.name.lower()}{code}"
    for name in ("thought", "action", "observation"):
        if text := getattr(step, name):
            short = (
                text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
            )
            yield f"  {name}: " + short.replace("\n", "\n    ")
    if step.original:
        yield f"  the whole of it: agentctx expand {step.original[:12]}"


def _origin(one: Origin) -> Iterator[str]:
    made = one.record
    yield f"{one.place}: {one.line}"
    yield f"  record {made.id} on {made.branch}, {when(made.id)}: {made.title}"
    by = ", ".join(part for part in (made.session, made.agent) if part)
    yield f"  trust {made.trust.name.lower()}{f', by {by}' if by else ''}, commit {one.hash[:12]}"
    for done in one.evidence:
        code = "" if done.exit_code is None else f" → exit {done.exit_code}"
        yield f"  evidence: {done.command or done.commit or 'none given'}{code}"
    for step in one.steps:
        yield from (f"  {line}" for line in _step(step))


def _kind(record: Commit) -> str:
    return "" if record.kind.value == "commit" else f"[{record.kind.value}] "
