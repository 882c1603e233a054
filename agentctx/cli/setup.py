"""`agentctx init` and `agentctx config`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from agentctx import config
from agentctx.cli.output import print_json, print_table

_NEXT = """\
Next:
  agentctx exec -- COMMAND      run a command, reduce what the agent reads of it
  agentctx doctor               check that all is well
Undo: rm -r {folder}"""


def init(folder: Path, *, as_json: bool) -> None:
    """Make the data folder in `folder`, private and invisible to git, and say what comes next.

    Raises:
        ConfigError: it cannot be made.
    """
    data = folder / config.FOLDER
    existed = data.is_dir()
    replace(config.load(folder), data=data).open_data()
    data.chmod(0o700)
    if as_json:
        print_json({"data": str(data), "created": not existed})
        return
    typer.echo(f"{'Found' if existed else 'Made'} {data}")
    typer.echo(_NEXT.format(folder=config.FOLDER))


def show(*, as_json: bool) -> None:
    """Print every setting with its value and source.

    Raises:
        ConfigError: the settings cannot be used.
    """
    from rich.table import Table

    settings = config.load()
    rows = config.explain(settings)
    if as_json:
        values = {row.name: getattr(settings, row.name) for row in rows}
        print_json({row.name: {"value": values[row.name], "source": row.source} for row in rows})
        return
    table = Table("setting", "value", "from")
    for row in rows:
        table.add_row(*row)
    print_table(table)
