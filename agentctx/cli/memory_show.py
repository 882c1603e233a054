"""What the memory commands that look print: values as JSON, or for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

import typer

from agentctx.cli.memory_graph import print_graph, print_lines, when
from agentctx.cli.memory_place import opened, view
from agentctx.cli.memory_work import plain, tell
from agentctx.cli.output import print_json
from agentctx.errors import UnknownMemory
from agentctx.values import Trust

if TYPE_CHECKING:
    from rich.text import Text

    from agentctx.memory.look.blame import Origin
    from agentctx.memory.records import Commit, Step

_LONGEST = 400


def context(asked: Mapping[str, Any], min_trust: str, budget: int | None, *, as_json: bool) -> None:
    """Print what is recalled; wrong usage if there is no such trust."""
    from agentctx.memory.recall import Request

    if min_trust.upper() not in Trust.__members__:
        known = ", ".join(one.name.lower() for one in Trust)
        raise typer.BadParameter(f"--min-trust {min_trust[:40]!r}: use one of {known}")
    with opened() as memory:
        least = Trust[min_trust.upper()]
        found = memory.context(Request(**asked, min_trust=least), budget=budget)
    tell(found, found.text, as_json=as_json)


def history(branch: str, limit: int, *, graph: bool, as_json: bool) -> None:
    """Print the records of a branch, or the graph of all."""
    with opened(branch) as memory:
        if graph:
            print_graph(memory, limit, as_json=as_json)
            return
        found = list(islice(view(memory, branch).since(), limit))
    if as_json:
        print_json(plain(found))
    for record in () if as_json else found:
        typer.echo(f"{record.id}  {when(record.id)}  {_kind(record)}{record.title}")


def record(id: str, *, as_json: bool) -> None:
    """Print a record and its steps."""
    with opened() as memory:
        found = view(memory, id)
        made = found.latest
        steps = found.steps(made) if made else ()
        if made:
            with suppress(UnknownMemory):  # another branch's record: nobody trusted it here
                made = memory.snapshot().record(made.id)
    if as_json:
        print_json({"hash": found.hash, "record": plain(made), "steps": plain(list(steps))})
    elif made:
        typer.echo("\n".join(_record(made, found.hash, steps)))


def difference(one: str, other: str, *, as_json: bool) -> None:
    """Print what differs between two states."""
    from agentctx.memory.look.difference import difference as compared

    with opened() as memory:
        found = compared(view(memory, one), view(memory, other))
    if as_json:
        print_json(plain(found))
        return
    lines = [*_heading("main.md", found.roadmap)]
    for name, changed in found.metadata.items():
        lines += _heading(f"metadata/{name}", changed)
    lines += _heading("records", [f"+ {made.id}  {made.title}" for made in found.records])
    lines += _heading("records of A only", [f"- {made.id}  {made.title}" for made in found.gone])
    print_lines(map(_signed, lines or ["no difference"]))


def blame(text: str, branch: str, *, as_json: bool) -> None:
    """Print where lines come from."""
    from agentctx.memory.look.blame import blame as blamed

    with opened(branch) as memory:
        found = blamed(view(memory), text)
    if as_json:
        print_json(plain(list(found)))
        return
    typer.echo("\n\n".join("\n".join(_origin(one)) for one in found))


def operations(limit: int, *, as_json: bool) -> None:
    """Print what was done."""
    with opened() as memory:
        found = list(memory.operations(limit))
    if as_json:
        print_json([_operation(one) for one in found])
    for one in () if as_json else found:
        refs = ", ".join(move.ref.removeprefix("refs/") for move in one.moves) or "-"
        typer.echo(f"{one.id}  {when(one.id)}  {one.kind}  {refs}  {one.title}".rstrip())


def state(branch: str, budget: int | None, *, as_json: bool) -> None:
    """Print the execution state."""
    from agentctx.memory.state.render import BUDGET, render
    from agentctx.tokens import counter

    with opened(branch) as memory:
        found = memory.state()
    text = render(found, count=counter().count, budget=budget or BUDGET)
    if as_json:
        print_json({"state": plain(found), "text": text})
    else:
        typer.echo(text)


def handoff(known: str, window: int | None, budget: int, branch: str, *, as_json: bool) -> None:
    """Print what another agent should be told."""
    from agentctx.memory.state.handoff import Receiver
    from agentctx.memory.state.handoff import handoff as handed
    from agentctx.tokens import counter

    to = Receiver(known=known, window=window)
    with opened(branch) as memory:
        found = handed(memory.state(), to, budget, count=counter().count, steps=memory.live())
    if as_json:
        print_json(plain(found))
    elif found.text:
        typer.echo(found.text)
    if not as_json:
        typer.echo(found.why, err=True)


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


def _operation(one: Any) -> dict[str, Any]:
    return {key: value for key, value in plain(one).items() if key != "puts"}


def _kind(record: Commit) -> str:
    return "" if record.kind.value == "commit" else f"[{record.kind.value}] "
