"""What memory brought back, as JSON values and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from rich.console import Group
from rich.table import Table
from rich.text import Text

from agentctx.evals import figures
from agentctx.evals.remember.results import BUDGET, Cut, Remembered, Total

COLUMNS = (
    *("cut by", "cuts", "words", "rules", "reopened", "closed"),
    *("next", "tokens", "ready", "short"),
)


def as_json(found: Remembered) -> dict[str, object]:
    """Return everything as JSON values; of what was told only what fell short."""
    return {
        **asdict(found),
        "proven": found.proven,
        "examples": [{**asdict(cut), "faults": cut.faults} for cut in found.examples],
    }


def screen(found: Remembered) -> Group:
    """Return the report as a person reads it in a terminal."""
    return Group(_table(found), *(Text(line, "dim") for line in _remarks(found)), *_faults(found))


def cells(total: Total) -> tuple[str, ...]:
    """Return what is told of one way of cutting, in the order of `COLUMNS`."""
    return (
        total.way,
        figures.count(total.cuts),
        f"{total.kept}/{total.said}",
        f"{total.lines_kept}/{total.lines}",
        figures.count(total.reopened),
        figures.count(total.closed),
        f"{total.next_right}/{total.cuts}",
        str(total.tokens_most),
        f"{total.milliseconds:.0f} ms",
        figures.count(total.fell_short),
    )


def remarks(found: Remembered) -> str:
    """Return what the table does not say, in one sentence each."""
    return " ".join(_remarks(found))


def _table(found: Remembered) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for name in COLUMNS:
        table.add_column(name, justify="left" if name == "cut by" else "right", no_wrap=True)
    for total in found.totals:
        *words, fell_short = cells(total)
        style = "bold red" if total.fell_short else "bold green"
        table.add_row(*words, Text(fell_short, style))
    return table


def _remarks(found: Remembered) -> Iterator[str]:
    extended = found.due - found.moved
    yield (
        f"{found.runs} runs, {found.requests:,} requests, {found.commits:,} commits; "
        f"{extended:,} of {found.due:,} requests begin with every byte of the one before."
    )
    hidden = sum(total.hidden for total in found.totals)
    if hidden:
        recalled = sum(total.recalled for total in found.totals)
        yield f"{hidden} messages were too long to be shown whole; {recalled} came back by id."
    if found.killed:
        yield f"{found.killed} of the killed sessions were processes that got a SIGKILL."
    yield (
        "Words are the user's messages that came back verbatim, rules the lines of them that still hold; "
        "reopened are finished steps and answered requests that were told as open, closed the reverse; "
        f"tokens are the most told beside the user's own text, of {BUDGET}."
    )
    yield f"A request took {found.milliseconds:.0f} ms (median)."
    yield from found.notes


def _faults(found: Remembered) -> Iterator[Text]:
    for error in found.errors:
        yield Text(f"✗ {error}", "red")
    for cut in found.examples:
        yield Text(f"✗ {fault(cut)}", "red")


def fault(cut: Cut) -> str:
    """Return what fell short at a cut, on one line."""
    told = cut.told
    what = {
        "next action": f"{told.next_action[:60]!r} instead of {told.planned[:60]!r}",
        "reopened": f"{list(told.reopened[:2])}",
        "closed": f"{list(told.closed[:2])}",
        "tokens": f"{told.tokens}",
        "words": f"{told.kept} of {told.said}",
        "constraints": f"{told.lines_kept} of {told.lines}",
        "recall": f"{told.recalled} of {told.hidden}",
        "payload": f"{cut.broken} rules",
    }
    shown = "; ".join(f"{name}: {what.get(name, '')}".rstrip(": ") for name in cut.faults)
    flying = ", a call in flight" if cut.in_flight else ""
    return f"{cut.run}, turn {cut.turn}, {cut.way} ({cut.form}{flying}): {shown}"
