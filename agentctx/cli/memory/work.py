"""The memory commands that write records and move between branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from agentctx.cli.memory import conflicts
from agentctx.cli.memory.place import keep, named, opened
from agentctx.cli.memory.told import tell
from agentctx.cli.options import Json, Many, OnBranch, Resolve
from agentctx.cli.output import given
from agentctx.memory.records import Conflict, Outcome, StepKind
from agentctx.values import Trust

if TYPE_CHECKING:
    from agentctx.memory.records import Commit

_CLOSING = (Outcome.SUCCESS, Outcome.PARTIAL, Outcome.FAILURE)

app = typer.Typer()


@app.command()
def log(
    observation: Annotated[str, typer.Argument(help="What came of it; - is stdin.")] = "",
    thought: Annotated[str, typer.Option(help="Why.")] = "",
    action: Annotated[str, typer.Option(help="What was done, such as a command.")] = "",
    exit_code: Annotated[int | None, typer.Option(help="How it ended.")] = None,
    user: Annotated[bool, typer.Option("--user", help="It is a message of the user's.")] = False,
    branch: OnBranch = "",
    json: Json = False,
) -> None:
    """Append one step to the journal."""
    observation = given(observation)
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
    tell(step, f"Logged {step.id} on {step.branch}", as_json=json)


@app.command()
def commit(
    contribution: Annotated[str, typer.Argument(help="What was achieved; - is stdin.")],
    done: Annotated[Many, typer.Option(help="A thing that is finished; ticks its box.")] = None,
    next_action: Annotated[str | None, typer.Option("--next", help="What comes next.")] = None,
    blocker: Annotated[Many, typer.Option(help="What stands in the way.")] = None,
    finding: Annotated[Many, typer.Option(help="What was found out.")] = None,
    milestone: Annotated[Many, typer.Option(help="For the roadmap.")] = None,
    todo: Annotated[Many, typer.Option(help="For the roadmap.")] = None,
    purpose: Annotated[str | None, typer.Option(help="Of the whole project.")] = None,
    code: Annotated[
        str, typer.Option(help="Code commit: a hash, HEAD, or WORKTREE: files as they are.")
    ] = "",
    finished: Annotated[bool, typer.Option("--finished", help="Ends the request.")] = False,
    branch: OnBranch = "",
    json: Json = False,
) -> None:
    """Write a record of what was achieved, and seal the steps since the last one."""
    text = given(contribution)
    with opened(branch) as memory:
        record = memory.commit(
            text,
            done=done or (),
            next_action=next_action,
            blockers=blocker,
            findings=finding or (),
            milestones=milestone or (),
            todo=todo or (),
            purpose=purpose,
            code=code,
            finished=finished,
        )
    tell(record, _line("Committed", record), as_json=json)


@app.command("branch")
def begin(
    name: Annotated[str, typer.Argument(help="What it is called.")],
    purpose: Annotated[str, typer.Argument(help="What it is for.")] = "",
    hypothesis: Annotated[str, typer.Option(help="What is expected.")] = "",
    start: Annotated[str | None, typer.Option("--from", help="A record or hash.")] = None,
    stay: Annotated[bool, typer.Option("--stay", help="Do not switch to it.")] = False,
    branch: OnBranch = "",
    json: Json = False,
) -> None:
    """Begin a line of work at the newest record, and switch to it."""
    with opened(branch) as memory:
        made = memory.branch(
            named(name), purpose, hypothesis=hypothesis, start=start, switch=not stay
        )
        if not stay:
            keep(memory)
    tell(made, f"Began {made.name} at {made.created_from}", as_json=json)


@app.command()
def switch(
    name: Annotated[str, typer.Argument(help="An open branch.")], json: Json = False
) -> None:
    """Stand on another branch from now on."""
    with opened() as memory:
        found = memory.switch(named(name))
        keep(memory)
    tell(found, f"On {found.name}: {found.purpose}".rstrip(": "), as_json=json)


@app.command()
def merge(
    name: Annotated[str, typer.Argument(help="The branch that is merged.")],
    outcome: Annotated[str, typer.Option(help="success, partial or failure.")] = "success",
    summary: Annotated[str, typer.Option(help="What it brought.")] = "",
    policy: Annotated[str, typer.Option(help="ours, theirs, both or agent.")] = "agent",
    resolve: Resolve = None,
    branch: OnBranch = "",
    json: Json = False,
) -> int:
    """Unite a branch with this one and archive it; a conflict changes nothing and ends with 1."""
    resolutions = conflicts.settled(policy, resolve or ())
    if outcome not in _CLOSING:
        raise typer.BadParameter(f"--outcome {outcome!r}: use {', '.join(_CLOSING)}")
    with opened(branch) as memory:
        found = memory.merge(
            named(name),
            outcome=Outcome(outcome),
            summary=summary,
            policy=policy,
            resolutions=resolutions,
        )
    if isinstance(found, Conflict):
        conflicts.show([found], as_json=json)
        return 1
    tell(found, _line(f"Merged {name}", found), as_json=json)
    return 0


@app.command()
def abandon(
    name: Annotated[str, typer.Argument(help="The branch that led nowhere.")],
    lesson: Annotated[str, typer.Argument(help="What it taught.")],
    json: Json = False,
) -> None:
    """Archive a branch and keep its lesson in the roadmap."""
    with opened() as memory:
        was = memory.current
        record = memory.abandon(named(name), lesson)
        if memory.current != was:
            keep(memory)
    tell(record, _line(f"Abandoned {name}", record), as_json=json)


@app.command()
def trust(
    id: Annotated[str, typer.Argument(help="A record that was held back.")],
    branch: OnBranch = "",
    json: Json = False,
) -> None:
    """Let recall show a record that you have read."""
    with opened(branch) as memory:
        record = memory.trust(id)
    tell(record, _line("Trusted", record), as_json=json)


@app.command()
def undo(
    operation: Annotated[str | None, typer.Argument(help="Default: the newest.")] = None,
    json: Json = False,
) -> None:
    """Take one operation back."""
    with opened() as memory:
        undone = memory.undo(operation)
    tell(undone, f"Undid {undone.kind} {undone.id}: {undone.title}", as_json=json)


def _line(what: str, record: Commit) -> str:
    steps = f"{record.steps} step{'s' * (record.steps != 1)}"
    held = f"\nheld back, it reads like an order from a tool: agentctx memory trust {record.id}"
    return (
        f"{what}: {record.id} on {record.branch}, {steps}: {record.title}"
        f"{held if record.quarantined else ''}"
    )
