"""`agentctx demo` and `agentctx eval`: progress on stderr, the report on stdout."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer

from agentctx.cli.output import print_json


def replay(
    data: Sequence[Path],
    policies: Sequence[str],
    jobs: int | None,
    html: Path | None,
    host_prompt: int | None,
    *,
    as_json: bool,
) -> None:
    """Replay trajectories and print what each policy saves and costs.

    Raises:
        ConfigError: there is no such policy.
        DataError: a file cannot be read.
    """
    from agentctx.evals import replay, report
    from agentctx.evals.policy import POLICIES
    from agentctx.evals.trajectory import HOST_PROMPT

    with progress("replaying") as advance:
        results = replay.run(
            data,
            tuple(policies) or tuple(POLICIES),
            jobs or os.cpu_count() or 1,
            advance,
            HOST_PROMPT if host_prompt is None else host_prompt,
        )
    if html:
        from agentctx.evals import page

        page.save(page.render(results), html)
    if as_json:
        print_json(report.as_json(results))
    else:
        typer.echo(report.as_text(results))


def remember(
    data: Sequence[Path],
    cuts: int,
    seed: int,
    jobs: int | None,
    html: Path | None,
    *,
    as_json: bool,
) -> int:
    """Cut trajectories and print what memory brings back; return 1 if anything fell short.

    Raises:
        DataError: a file cannot be read, or the report cannot be written.
    """
    from agentctx.evals import live, remember
    from agentctx.evals.remember import report

    with progress("cutting") as advance:
        found = remember.run(data, cuts, seed, jobs or os.cpu_count() or 1, advance)
    if html:
        from agentctx.evals.page import memory, save

        save(memory.render(found), html)
    if as_json:
        print_json(report.as_json(found))
    else:
        live.show(report.screen(found))
    return 0 if found.proven else 1


def demo(html: Path, *, as_json: bool) -> int:
    """Play the recorded run that ships and write its report; return 1 if a law did not hold.

    Raises:
        DataError: the report cannot be written there.
    """
    from agentctx.evals import demo, live

    with live.bar("playing") as tell:
        found = demo.run(tell=tell)
    demo.write(found, html)
    if as_json:
        print_json(demo.as_json(found))
    else:
        live.show(demo.screen(found, html))
    return 0 if found.proven else 1


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on stderr, if that is a terminal; yields what is told (done, total)."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
