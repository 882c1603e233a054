"""`agentctx rules …` of the pool: what rules did, why they are there, how they come and go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentctx.cli.options import Json
from agentctx.cli.output import print_bytes, print_json

if TYPE_CHECKING:
    from agentctx.errors import AgentctxError
    from agentctx.stores import Stores
    from agentctx.terminal.rules.rule import Rule

app = typer.Typer()

_Id = Annotated[str, typer.Argument(metavar="ID", help="As `rules stats` shows it.")]


@app.command()
def stats(
    model: Annotated[
        str, typer.Option(help="Whose prices count; default: the one used most.")
    ] = "",
    json: Json = False,
) -> None:
    """Show what each rule saved and what it cost, from here and from the pool."""
    from agentctx.cli import earned

    earned.show(model, as_json=json)


@app.command("import")
def take(
    file: Annotated[Path, typer.Argument(help="A pack, or .json as TACO writes it.")],
    trust: Annotated[
        bool, typer.Option("--trust", help="Use them at once, before they are proven here.")
    ] = False,
    json: Json = False,
) -> int:
    """Put rules into the pool; they are used when `rules learn` has proven them."""
    from dataclasses import replace

    from agentctx.errors import AgentctxError
    from agentctx.evolve.evolution import Evolution
    from agentctx.pool import Entry
    from agentctx.terminal.rules.rule import Status

    status = Status.ACTIVE if trust else Status.SHADOW
    refused: list[AgentctxError] = []
    taken: list[str] = []
    stores = _stores()
    with stores.pool() as pool:
        for rule in _read(file, refused):
            try:
                taken.append(pool.add(Entry(rule=replace(rule, status=status)), f"from {file}"))
            except AgentctxError as error:
                refused.append(error)
        Evolution(stores, pool).lay_over()
    if json:
        print_json({"imported": taken, "refused": list(map(str, refused))})
    else:
        typer.echo("\n".join([*map(str, refused), f"{len(taken)} rules imported as {status}"]))
    return 1 if refused else 0


@app.command()
def export(
    taco: Annotated[bool, typer.Option("--taco", help="As TACO's JSON instead of a pack.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Also those that are not active.")] = False,
) -> None:
    """Print the rules of the pool as a pack, or as TACO's JSON."""
    from agentctx.terminal.rules import taco as format_of_taco
    from agentctx.terminal.rules import toml

    with _stores().pool() as pool:
        rules = [entry.rule for entry in pool.entries() if every or entry.rule.works]
    rules.sort(key=lambda rule: (rule.priority, rule.rule_id))
    text = format_of_taco.dumps(rules) if taco else toml.write(rules)
    print_bytes(text.encode())


@app.command()
def freeze(
    off: Annotated[bool, typer.Option("--off", help="Let rules change again.")] = False,
) -> None:
    """Let all rules of the pool stay as they are; what they save is counted all the same."""
    with _stores().pool() as pool:
        pool.freeze(on=not off)
    typer.echo("rules change again" if off else "the pool is frozen")


@app.command()
def retire(rule_id: _Id) -> None:
    """Never use a rule any more, here and wherever the pool is used."""
    from agentctx.evolve.evolution import Evolution

    stores = _stores()
    with stores.pool() as pool:
        Evolution(stores, pool).retire(rule_id, "by hand")
    typer.echo(f"{rule_id} is retired")


@app.command()
def remove(rule_id: _Id) -> None:
    """Take a rule out of the pool, with all that is known of it; one that ships is used again."""
    from agentctx.evolve.evolution import Evolution

    stores = _stores()
    with stores.pool() as pool:
        pool.remove(rule_id)
        Evolution(stores, pool).lay_over()
    typer.echo(f"{rule_id} is removed")


def _stores() -> Stores:
    from agentctx import config
    from agentctx.stores import Stores

    return Stores(config.load())


def _read(file: Path, refused: list[AgentctxError]) -> tuple[Rule, ...]:
    from agentctx.terminal.rules import pack, taco

    if file.suffix == ".json":
        return taco.loads(pack.read(file), refused.append)
    return tuple(pack.with_outputs(rule, file) for rule in pack.load(file))
