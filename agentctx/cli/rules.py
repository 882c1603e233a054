"""`agentctx rules`: which lines of which commands go, why, and whether the tests agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentctx.cli.options import Json
from agentctx.cli.output import print_json, print_table

if TYPE_CHECKING:
    from agentctx.terminal.rules.pack import Place
    from agentctx.terminal.rules.rule import Rule, Sample

app = typer.Typer(no_args_is_help=True)

Packs = Annotated[
    list[Path] | None, typer.Argument(help="Packs; default: those that ship and yours.")
]


@app.callback()
def root() -> None:
    """See and test the rules for the output of single commands."""


@app.command("list")
def listed(json: Json = False) -> None:
    """List the rules of packs and of the pool, as they are in force here."""
    from agentctx import config
    from agentctx.stores import Stores
    from agentctx.terminal.rules.overlay import laid_over

    rules = laid_over(Stores(config.load()).overlay, [rule for _, rule in _all(None)])
    if json:
        print_json([_plain(rule) for rule in rules])
        return
    from agentctx.cli.rule_table import table

    print_table(table(rules))


@app.command()
def show(
    rule_id: Annotated[str, typer.Argument(metavar="ID", help="As `rules list` shows it.")],
    samples: Annotated[
        bool, typer.Option("--samples", help="Also its outputs, before and after.")
    ] = False,
    why: Annotated[
        bool, typer.Option("--why", help="Also where it comes from and what came of it.")
    ] = False,
    json: Json = False,
) -> None:
    """Show a rule, and what it makes of the outputs that prove it."""
    from agentctx.cli import life
    from agentctx.errors import RuleError
    from agentctx.terminal.rules.pack import with_outputs

    found = [(pack, rule) for pack, rule in _all(None) if rule.rule_id == rule_id]
    told = life.of(rule_id) if why or json or not found else life.Life()
    found += [(life.POOL, told.rule)] if told.rule else []
    if not found:
        raise RuleError(f"no rule {rule_id[:60]!r}: see agentctx rules list, or rules stats")
    pack, rule = found[-1]
    rule = with_outputs(rule, pack)
    if json:
        tests = [asdict(test) for test in rule.tests]
        print_json({**_plain(rule), "pack": str(pack), "tests": tests, "why": told.plain(rule)})
        return
    typer.echo("\n".join(_described(rule, pack)))
    if why:
        typer.echo("\n".join(told.lines(rule)))
    for sample in rule.tests if samples else ():
        typer.echo("\n".join(_before_and_after(rule, sample)))


@app.command("test")
def prove(packs: Packs = None, json: Json = False) -> int:
    """Run the tests of every rule; the status is 1 if one does not what they say."""
    from agentctx.terminal.rules.pack import with_outputs
    from agentctx.terminal.trial import faults

    rules = [with_outputs(rule, pack) for pack, rule in _all(packs)]
    found = {rule.rule_id: list(faults(rule)) for rule in rules}
    wrong = [f"{name}: {fault}" for name, each in found.items() for fault in each]
    if json:
        print_json({"ok": not wrong, "rules": len(rules), "faults": found})
    else:
        tests = sum(len(rule.tests) for rule in rules)
        typer.echo("\n".join([*wrong, f"{len(rules)} rules, {tests} tests, {len(wrong)} faults"]))
    return 1 if wrong else 0


@app.command()
def learn(
    data: Annotated[
        list[Path] | None,
        typer.Argument(help="Trajectories, .jsonl or .jsonl.gz; default: what was seen here."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where what became active is written, as a pack.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Also write a page about it.")] = None,
    alone: Annotated[
        bool, typer.Option("--alone", help="As if there were no other rules.")
    ] = False,
    model: Annotated[
        str, typer.Option(help="A model that proposes more, as LiteLLM names it.")
    ] = "",
    json: Json = False,
) -> None:
    """Learn rules from recorded runs, prove them on others, and say what became of each.

    Without runs, from what sessions saw here: complaints are settled, rules go to the pool and come
    from it. Sessions remember outputs for it with the setting rules = "evolve".
    """
    from agentctx.cli import evolving
    from agentctx.cli import learn as learning

    if data:
        learning.learn(data, out, html, model, alone=alone, as_json=json)
    else:
        evolving.evolve(model, as_json=json)


def _all(packs: list[Path] | None) -> Iterator[tuple[Place, Rule]]:
    from agentctx import config
    from agentctx.stores import RULES
    from agentctx.terminal.rules import pack

    own = sorted((config.load().data / RULES).glob("*.toml"))
    for place in packs if packs is not None else (*pack.packs(), *own):
        yield from ((place, rule) for rule in pack.load(place))


def _plain(rule: Rule) -> dict[str, object]:
    return {**asdict(rule), "tests": len(rule.tests)}


def _described(rule: Rule, pack: Place) -> Iterator[str]:
    yield f"{rule.rule_id} ({rule.status}, version {rule.version}, tests: {len(rule.tests)}) of {pack}"
    yield f"hides: {rule.reason}"
    yield f"for commands that match: {rule.trigger_regex}"
    yield from (f"  a line that matches {pattern}" for pattern in rule.strip_patterns)
    yield from (f"  but none that matches {pattern}" for pattern in rule.keep_patterns)
    if rule.max_lines is not None:
        yield f"  and all but {rule.max_lines} of the others"
    yield f"never the first {rule.keep_first_n} and the last {rule.keep_last_n} lines, nor evidence"


def _before_and_after(rule: Rule, sample: Sample) -> Iterator[str]:
    from agentctx.terminal.trial import applied

    made = applied(rule, sample)
    yield f"\n$ {sample.command}   {made.tokens_before:,} tokens, then {made.tokens_after:,}"
    yield from (f"- {line}" for line in sample.output.splitlines())
    yield from (f"+ {line}" for line in made.text.splitlines())
