"""The memory commands that write records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from agentctx.cli.memory_place import keep, named, opened
from agentctx.cli.output import print_json
from agentctx.memory.records import Branch, Commit, Conflict, Outcome, StepKind
from agentctx.values import Trust

if TYPE_CHECKING:
    from agentctx.memory.merge.policies import Policy


def log(
    observation: str,
    thought: str,
    action: str,
    exit_code: int | None,
    branch: str,
    *,
    user: bool,
    as_json: bool,
) -> None:
    """Append a step and print its id."""
    if not (observation or thought or action):
        raise typer.BadParameter("a step needs an observation, --thought or --action")
    with opened(branch) as memory:
        step = memory.log(
            observation=observation,
            thought=thought,
            action=action,
            exit_code=exit_code,
            trust=Trust.USER if user else Trust.TOOL,
            kind=StepKind.USER if user else StepKind.STEP,
        )
    tell(step, f"Logged {step.id} on {step.branch}", as_json=as_json)


def commit(text: str, details: Mapping[str, Any], branch: str, *, as_json: bool) -> None:
    """Write a record and print what became of it."""
    with opened(branch) as memory:
        record = memory.commit(text, **details)
    tell(record, _line("Committed", record), as_json=as_json)


def begin(
    name: str,
    purpose: str,
    hypothesis: str,
    start: str | None,
    branch: str,
    *,
    stay: bool,
    as_json: bool,
) -> None:
    """Begin a branch."""
    with opened(branch) as memory:
        made = memory.branch(
            named(name), purpose, hypothesis=hypothesis, start=start, switch=not stay
        )
        if not stay:
            keep(memory)
    tell(made, f"Began {made.name} at {made.created_from}", as_json=as_json)


def switch(name: str, *, as_json: bool) -> None:
    """Stand on another branch."""
    with opened() as memory:
        found: Branch = memory.switch(named(name))
        keep(memory)
    tell(found, f"On {found.name}: {found.purpose}".rstrip(": "), as_json=as_json)


def merge(
    name: str,
    outcome: str,
    summary: str,
    policy: str,
    resolve: Sequence[str],
    branch: str,
    *,
    as_json: bool,
) -> int:
    """Merge a branch; return 1 and print the conflicts if there are any."""
    settled = resolutions(resolve)
    checked(policy, settled)
    closing = (Outcome.SUCCESS, Outcome.PARTIAL, Outcome.FAILURE)
    if outcome not in closing:
        raise typer.BadParameter(f"--outcome {outcome!r}: use {', '.join(closing)}")
    with opened(branch) as memory:
        found = memory.merge(
            named(name),
            outcome=Outcome(outcome),
            summary=summary,
            policy=policy,
            resolutions=settled,
        )
    if isinstance(found, Conflict):
        show_conflicts([found], as_json=as_json)
        return 1
    tell(found, _line(f"Merged {name}", found), as_json=as_json)
    return 0


def abandon(name: str, lesson: str, *, as_json: bool) -> None:
    """Archive a branch that led nowhere."""
    with opened() as memory:
        was = memory.current
        record = memory.abandon(named(name), lesson)
        if memory.current != was:
            keep(memory)
    tell(record, _line(f"Abandoned {name}", record), as_json=as_json)


def trust(id: str, branch: str, *, as_json: bool) -> None:
    """Let recall show a record."""
    with opened(branch) as memory:
        record = memory.trust(id)
    tell(record, _line("Trusted", record), as_json=as_json)


def undo(operation: str | None, *, as_json: bool) -> None:
    """Take an operation back."""
    with opened() as memory:
        undone = memory.undo(operation)
    tell(undone, f"Undid {undone.kind} {undone.id}: {undone.title}", as_json=as_json)


def tell(value: Any, line: str, *, as_json: bool) -> None:
    """Print a value as JSON, or one line about it."""
    if as_json:
        print_json(plain(value))
    else:
        typer.echo(line)


def plain(value: Any) -> Any:
    """Return a dataclass, or several of them, as JSON values."""
    from agentctx.memory.texts import plain as values

    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return values(asdict(value) if hasattr(value, "__dataclass_fields__") else value)


def show_conflicts(conflicts: Sequence[Conflict], *, as_json: bool) -> None:
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


def checked(policy: str, resolutions: Mapping[str, str]) -> Policy:
    """Return a merge policy; wrong usage if there is none of that name."""
    from agentctx.errors import MemoryStoreError
    from agentctx.memory.merge import policies

    try:
        return policies.policy(policy, resolutions)
    except MemoryStoreError as error:
        raise typer.BadParameter(str(error)) from None


def resolutions(given: Sequence[str]) -> dict[str, str]:
    """Return what is chosen for each item; wrong usage if one names none."""
    return dict(map(_resolution, given))


def _resolution(text: str) -> tuple[str, str]:
    item, equals, choice = text.partition("=")
    if not (item and equals):
        raise typer.BadParameter(f"--resolve {text!r}: write ITEM=ours, ITEM=theirs or ITEM=TEXT")
    return item, choice


def _side(text: str | None) -> str:
    return "(none)" if text is None else text.replace("\n", f"\n{'':11}")


def _line(what: str, record: Commit) -> str:
    steps = f"{record.steps} step{'s' * (record.steps != 1)}"
    held = f"\nheld back, it reads like an order from a tool: agentctx memory trust {record.id}"
    return (
        f"{what}: {record.id} on {record.branch}, {steps}: {record.title}"
        f"{held if record.quarantined else ''}"
    )
