"""`agentctx memory`: what an agent and a person do with a memory; a file for each kind of it."""

from __future__ import annotations

from functools import cache
from typing import Any

import typer
from typer.core import TyperGroup


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
    from agentctx.cli.memory import care, history, recall, travel, work

    commands = typer.Typer()
    for each in (work, recall, history, travel, care):
        commands.add_typer(each.app)
    group: Any = typer.main.get_command(commands)
    built: dict[str, Any] = group.commands
    return built


app = typer.Typer(cls=Lazy, no_args_is_help=True)


@app.callback()
def root() -> None:
    """Remember on branches: records, roadmap, steps; recall them later or elsewhere."""
