"""How a memory command says what it did."""

from __future__ import annotations

from typing import Any

import typer

from agentctx.cli.output import print_json
from agentctx.errors import DataError
from agentctx.memory.texts import plain


def tell(value: Any, line: str, *, as_json: bool) -> None:
    """Print a value as JSON, or a line about it.

    Raises:
        DataError: stdout takes nothing; the message says what is done all the same.
    """
    try:
        if as_json:
            print_json(plain(value))
        else:
            typer.echo(line)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"stdout: {error.strerror}: it is done all the same: {line}") from error
