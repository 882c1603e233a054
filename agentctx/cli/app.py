"""Every command but the work of `exec`; each says what it takes and hands over."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentctx.cli.memory import app as memory
from agentctx.cli.options import Json
from agentctx.cli.pool import app as pool
from agentctx.cli.rules import app as rules

app = typer.Typer(
    name="agentctx",
    help="Decides what a model sees of an agent's tools, keeps everything else, brings it back.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
evals = typer.Typer(help="Measure on recorded agent runs.", no_args_is_help=True)
app.add_typer(evals, name="eval")
app.add_typer(memory, name="memory")
rules.add_typer(pool)
app.add_typer(rules, name="rules")


def main(args: list[str]) -> int:
    """Run a command line and return its exit status."""
    try:
        status = typer.main.get_command(app).main(args, "agentctx", standalone_mode=False)
    except Exception as error:
        return _usage(error)
    return status if isinstance(status, int) else 0


def _usage(error: Exception) -> int:
    """Print what is wrong with a command line; raise whatever is no such error again."""
    if type(error).__name__ == "Abort":
        return 130
    if not hasattr(error, "format_message"):  # Typer brings its own copy of Click, or does not
        raise error
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(error.format_message())
        return 2
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "agentctx"
    reason = " ".join(error.format_message().split()).rstrip(".")
    typer.echo(f"{command}: {reason}: see {command} --help", err=True)
    return 2


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks; must come first.")
    ] = False,
) -> None:
    """Answer what concerns no command."""
    from agentctx import __version__

    if version:
        typer.echo(f"agentctx {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("exec", context_settings={"ignore_unknown_options": True})
def execute(command: list[str]) -> int:
    """Run a command, reduce what the agent reads of it, keep its exit code."""
    from agentctx.cli.exec import main as run

    return run(command)


@app.command()
def reduce(
    file: Annotated[str, typer.Argument(help="The output; - is stdin.")] = "-",
    command: Annotated[str, typer.Option(help="What printed it.")] = "",
    exit_code: Annotated[int | None, typer.Option(help="How that ended.")] = None,
    json: Json = False,
) -> None:
    """Reduce the output of a command that has already run."""
    from agentctx.cli import output

    output.reduce(file, command, exit_code, as_json=json)


@app.command()
def expand(
    handle: Annotated[str, typer.Argument(help="What a marker says after 'expand'.")],
    lines: Annotated[str, typer.Option(metavar="A:B", help="Only these, counted from 1.")] = "",
    grep: Annotated[str, typer.Option(metavar="RE", help="Only those that match (RE2).")] = "",
    json: Json = False,
) -> int:
    """Print an original, byte for byte, or some of its lines."""
    from agentctx.cli import original
    from agentctx.errors import ToolError
    from agentctx.tools import compiled, parse_range

    try:
        span, pattern = parse_range(lines), compiled(grep) if grep else None
    except ToolError as error:
        raise typer.BadParameter(str(error)) from None
    return original.show(handle.lower(), span, pattern, as_json=json)


@app.command()
def stats(
    session: Annotated[str | None, typer.Option(help="Of this session only.")] = None,
    json: Json = False,
) -> None:
    """Show what was reduced and what the model calls cost."""
    from agentctx.cli import sums

    sums.show(session, as_json=json)


@app.command()
def init(json: Json = False) -> None:
    """Make .agentctx/ here."""
    from agentctx.cli import setup

    setup.init(Path.cwd(), as_json=json)


@app.command("config")
def configuration(json: Json = False) -> None:
    """Show every setting and where its value comes from."""
    from agentctx.cli import setup

    setup.show(as_json=json)


@app.command()
def doctor(json: Json = False) -> int:
    """Check this installation and its data; say how to mend what is broken."""
    from agentctx.cli import doctor

    return doctor.run(as_json=json)


@app.command()
def demo(
    html: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("report.html"),
    json: Json = False,
) -> int:
    """Play a recorded agent run through the whole engine; no key, no network."""
    from agentctx.cli import evaluate

    return evaluate.demo(html, as_json=json)


@evals.command("replay")
def replay(
    data: Annotated[list[Path], typer.Argument(help=".jsonl or .jsonl.gz trajectories.")],
    policy: Annotated[
        list[str] | None, typer.Option(help="May be repeated, or hold several with commas.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; default: all cores.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report here, too.")] = None,
    host_prompt: Annotated[
        int | None,
        typer.Option(min=0, help="Tokens for a host's own prompt where none was recorded."),
    ] = None,
    json: Json = False,
) -> None:
    """Replay trajectories turn by turn under each policy and compare."""
    from agentctx.cli import evaluate

    names = [name for each in policy or () for name in each.split(",") if name]
    evaluate.replay(data, names, jobs, html, host_prompt, as_json=json)


@evals.command("memory")
def remember(
    data: Annotated[list[Path], typer.Argument(help=".jsonl or .jsonl.gz trajectories.")],
    cuts: Annotated[int, typer.Option(min=1, help="Cuts of each way in each run.")] = 1,
    seed: Annotated[int, typer.Option(help="Another one cuts elsewhere.")] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; default: all cores.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report here, too.")] = None,
    json: Json = False,
) -> int:
    """Cut trajectories anywhere and check what memory brings back."""
    from agentctx.cli import evaluate

    return evaluate.remember(data, cuts, seed, jobs, html, as_json=json)
