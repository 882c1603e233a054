"""Prints every figure."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from agentctx.evals.lessons import recorded
from agentctx.terminal.command import Output, classify
from agentctx.terminal.rules import pack
from agentctx.values import Observation
from benchmarks.rules import hostile, logs, stream, strips


def main(
    data: Annotated[list[Path], typer.Argument(help="Recorded runs.")],
    mebibytes: Annotated[
        int, typer.Option("--stream", help="MiB that `agentctx exec` is streamed.")
    ] = 1024,
) -> None:
    """Print what rules cost, as JSON lines."""
    outputs = [*_samples(), *_recorded(data)]
    gc.freeze()  # what we hold is nothing that the product would pass through
    figures = (
        strips.figures(outputs),
        logs.figures(outputs),
        hostile.figures(),
        stream.figures(mebibytes, outputs),
    )
    for figure in chain.from_iterable(figures):
        typer.echo(json.dumps(figure))


def _samples() -> Iterator[Observation]:
    for place in pack.packs():
        for rule in pack.load(place):
            for test in pack.with_outputs(rule, place).tests:
                yield Observation(
                    output=test.output, command=test.command, exit_code=test.exit_code
                )


def _recorded(data: Sequence[Path]) -> Iterator[Observation]:
    for case in recorded(data):
        if classify(case.observation.command) is Output.RUN:
            yield case.observation


if __name__ == "__main__":
    typer.run(main)
