"""What a person sees while a run plays: a bar, and the tokens of each prompt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from agentctx.evals.page.markup import visible
from agentctx.evals.play import Step, Tell

_COMMAND = 44
_LINE = (
    "[dim]raw[/] {task.fields[raw]:>8,}  [dim]sent[/] [bold]{task.fields[sent]:>8,}[/]"
    "  [green]{task.fields[less]}[/]  [dim]{task.fields[command]}[/]"
)


@contextmanager
def bar(label: str) -> Iterator[Tell]:
    """Show a bar on stderr, if that is a terminal; yields what is told of each call."""
    columns = (TextColumn(label), BarColumn(20), MofNCompleteColumn(), TextColumn(_LINE))
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
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
