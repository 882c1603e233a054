"""`agentctx memory`: what an agent and a person do with a memory; each says what it takes."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from agentctx.cli import memory_keep, memory_look
from agentctx.cli.output import given

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OnBranch = Annotated[
    str, typer.Option("--branch", metavar="NAME", help="Instead of the one switched to.")
]
Many = list[str] | None

commands = typer.Typer()


class Lazy(TyperGroup):
    """The commands, put together when one is asked for: no other command waits for them."""

    @property
    def commands(self) -> dict[str, Any]:
        """The commands by name."""
        return _built()

    @commands.setter
    def commands(self, given: object) -> None:
        """Leave them as they are."""


@cache
def _built() -> dict[str, Any]:
    group: Any = typer.main.get_command(commands)
    built: dict[str, Any] = group.commands
    return built


app = typer.Typer(
    cls=Lazy,
    no_args_is_help=True,
)


@app.callback()
def root() -> None:
    """Remember on branches: records, roadmap, steps; recall them later or elsewhere."""


@commands.command()
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
    from agentctx.cli import memory_work

    memory_work.log(given(observation), thought, action, exit_code, branch, user=user, as_json=json)


@commands.command()
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
    from agentctx.cli import memory_work

    memory_work.commit(
        given(contribution),
        {
            "done": done or (),
            "next_action": next_action,
            "blockers": blocker,
            "findings": finding or (),
            "milestones": milestone or (),
            "todo": todo or (),
            "purpose": purpose,
            "code": code,
            "finished": finished,
        },
        branch,
        as_json=json,
    )


@commands.command("branch")
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
    from agentctx.cli import memory_work

    memory_work.begin(name, purpose, hypothesis, start, branch, stay=stay, as_json=json)


@commands.command()
def switch(
    name: Annotated[str, typer.Argument(help="An open branch.")], json: Json = False
) -> None:
    """Stand on another branch from now on."""
    from agentctx.cli import memory_work

    memory_work.switch(name, as_json=json)


@commands.command()
def merge(
    name: Annotated[str, typer.Argument(help="The branch that is merged.")],
    outcome: Annotated[str, typer.Option(help="success, partial or failure.")] = "success",
    summary: Annotated[str, typer.Option(help="What it brought.")] = "",
    policy: Annotated[str, typer.Option(help="ours, theirs, both or agent.")] = "agent",
    resolve: Annotated[
        Many, typer.Option(metavar="ITEM=CHOICE", help="Settles one conflict; may be repeated.")
    ] = None,
    branch: OnBranch = "",
    json: Json = False,
) -> int:
    """Unite a branch with this one and archive it; a conflict changes nothing and ends with 1."""
    from agentctx.cli import memory_work

    return memory_work.merge(name, outcome, summary, policy, resolve or [], branch, as_json=json)


@commands.command()
def abandon(
    name: Annotated[str, typer.Argument(help="The branch that led nowhere.")],
    lesson: Annotated[str, typer.Argument(help="What it taught.")],
    json: Json = False,
) -> None:
    """Archive a branch and keep its lesson in the roadmap."""
    from agentctx.cli import memory_work

    memory_work.abandon(name, lesson, as_json=json)


@commands.command()
def trust(
    id: Annotated[str, typer.Argument(help="A record that was held back.")],
    branch: OnBranch = "",
    json: Json = False,
) -> None:
    """Let recall show a record that you have read."""
    from agentctx.cli import memory_work

    memory_work.trust(id, branch, as_json=json)


@commands.command()
def undo(
    operation: Annotated[str | None, typer.Argument(help="Default: the newest.")] = None,
    json: Json = False,
) -> None:
    """Take one operation back."""
    from agentctx.cli import memory_work

    memory_work.undo(operation, as_json=json)


commands.add_typer(memory_look.app)
commands.add_typer(memory_keep.app)
