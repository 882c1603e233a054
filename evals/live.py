"""What a person sees while a run plays: a bar, and the tokens of each prompt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Column

from agentctx.evals.page.markup import visible
from agentctx.evals.play import Step, Tell

_COMMAND = 200
_TOKENS = (
    "[dim]raw[/] {task.fields[raw]:>7,} [dim]sent[/] [bold]{task.fields[sent]:>7,}[/] "
    "[green]{task.fields[less]:>4}[/]"
)


@contextmanager
def bar(label: str) -> Iterator[Tell]:
    """Show a bar on stderr, if that is a terminal; yields what is told of each call."""
    rest = Column(ratio=1, no_wrap=True, overflow="ellipsis")
    columns = (
        TextColumn(label, table_column=Column(no_wrap=True)),
        BarColumn(12),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TextColumn(_TOKENS, table_column=Column(no_wrap=True)),
        TextColumn("[dim]{task.fields[command]}[/]", table_column=rest),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, expand=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(label, total=None, raw=0, sent=0, less="", command="")

        def tell(step: Step) -> None:
            progress.update(
                task,
                completed=step.number,
                total=step.of,
                raw=step.raw,
                sent=step.sent,
                less=f"−{1 - step.sent / step.raw:.0%}" if step.sent < step.raw else "",
                command=escape(_short(step.command)),
            )

        yield tell


def show(report: RenderableType) -> None:
    """Print a report on stdout, as wide as its place."""
    Console(highlight=False).print(report)


def _short(command: str) -> str:
    line = visible(command.strip().split("\n", 1)[0])
    return line if len(line) <= _COMMAND else line[: _COMMAND - 1] + "…"
