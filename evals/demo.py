"""`agentctx demo`: a recorded agent run through the whole engine, and what it shows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Group
from rich.table import Table
from rich.text import Text

from agentctx.config import Settings
from agentctx.errors import DataError
from agentctx.evals import figures
from agentctx.evals.giveway import GiveWay, give_way
from agentctx.evals.laws import Law, laws, ours, raw
from agentctx.evals.load import load, records
from agentctx.evals.page.demo import render
from agentctx.evals.page.document import save
from agentctx.evals.play import Played, Step, Tell, play
from agentctx.evals.remember.demo import Revival, revive
from agentctx.evals.report import as_json as results_json
from agentctx.evals.results import PolicyResult
from agentctx.evals.trajectory import Trajectory

Pair = tuple[str, float, float, Callable[[float], str]]
"""A figure without and with agentctx, and how it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """A played run, the laws that it shows, what memory brought back, a rule that gave way, the seconds."""

    played: Played
    laws: tuple[Law, ...]
    revival: Revival
    given: GiveWay
    seconds: float

    @property
    def proven(self) -> bool:
        """Whether every law held, nothing that memory told fell short, and the rule gave way."""
        return all(law.holds for law in self.laws) and self.revival.holds and self.given.holds


def run(path: Path | None = None, *, tell: Tell | None = None) -> Demo:
    """Play a recorded run; needs no key and no network, and leaves nothing behind.

    The settings are agentctx's own defaults, whatever the user's are.

    Args:
        path: a file of trajectories, of which the first is played; the default is the one that ships.
        tell: told of each call.

    Raises:
        DataError: the file holds no trajectory that can be read.
    """
    begin = time.perf_counter()
    trajectory = first(path or shipped())
    played = play(trajectory, Settings(), tell or _nobody)
    revival, given = revive(trajectory), give_way()
    seconds = time.perf_counter() - begin
    return Demo(played=played, laws=laws(played), revival=revival, given=given, seconds=seconds)


def shipped() -> Path:
    """Return where the run that ships lies."""
    import agentctx

    return Path(agentctx.__file__).parent / "data" / "demo.jsonl.gz"


def first(path: Path) -> Trajectory:
    """Return the first trajectory of a file.

    Raises:
        DataError: it cannot be read.
    """
    for record in records([path]):
        found = load(record)
        if found.trajectory is None:
            raise DataError(f"no run to play: {found.note}: give a trajectory in a known format")
        return found.trajectory
    raise DataError(f"{str(path)!r} holds no run: give .jsonl or .jsonl.gz trajectories")


def write(demo: Demo, html: Path) -> None:
    """Write the report as one HTML file.

    Raises:
        DataError: it cannot be written there.
    """
    save(render(demo.played, demo.laws, demo.revival, demo.seconds), html)


def as_json(demo: Demo) -> dict[str, object]:
    """Return everything that was measured as JSON values."""
    played = demo.played
    run = played.trajectory
    return {
        "run": run.id,
        "model": run.model,
        "proven": demo.proven,
        "laws": [asdict(law) for law in demo.laws],
        "prefix": asdict(played.prefix),
        "proofs": [asdict(proof) for proof in played.proofs],
        "memory": {**asdict(demo.revival), "holds": demo.revival.holds},
        "rules": {**asdict(demo.given), "holds": demo.given.holds},
        "seconds": demo.seconds,
        **results_json(played.results),
    }


def screen(demo: Demo, html: Path | None = None) -> Group:
    """Return the report as a person reads it in a terminal."""
    run = demo.played.trajectory
    head = Text(f"{run.task}, {run.agent}, {run.model}: {ours(demo.played).spend.calls} calls")
    head.append(f"  ({demo.seconds:.1f} s, no key, no network)", "dim")
    parts: list[Text | Table] = [head, _figures(demo.played), _laws(demo.laws)]
    parts += [_memory(demo.revival), _rules(demo.given)]
    if html:
        parts.append(
            Text.assemble("the whole report, with plots and examples: ", (str(html), "bold"))
        )
    return Group(*parts)


def _figures(played: Played) -> Table:
    one, other = raw(played), ours(played)
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for name in ("", "raw", "agentctx", ""):
        table.add_column(name, justify="right" if name else "left")
    for name, a, b, show in _pairs(one, other):
        if not a and not b:
            continue
        table.add_row(
            name, show(a), show(b), Text(figures.change(a, b), "bold green" if b < a else "")
        )
    counts = other.counts
    kept = ((counts.evidence_kept, counts.evidence), (counts.uses_kept, counts.uses))
    for name, (had, of) in zip(
        ("evidence lines kept", "strings used later kept"), kept, strict=True
    ):
        table.add_row(name, f"{of:,}", f"{had:,}", figures.recall(had, of))
    return table


def _pairs(one: PolicyResult, other: PolicyResult) -> Iterator[Pair]:
    yield "input tokens", one.spend.prompt, other.spend.prompt, figures.count
    yield "  read from the cache", one.spend.cache_read, other.spend.cache_read, figures.count
    yield "  written to the cache", one.spend.cache_write, other.spend.cache_write, figures.count
    yield "  fresh", one.spend.input, other.spend.input, figures.count
    yield "dollars", one.spend.dollars, other.spend.dollars, figures.dollars
    yield "observation tokens", one.counts.tokens_out, other.counts.tokens_out, figures.count


def _laws(found: tuple[Law, ...]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for law in found:
        mark = Text("✓", "bold green") if law.holds else Text("✗", "bold red")
        table.add_row(mark, Text(f"{law.number}. {law.name}"), Text(law.shown, "dim"))
    return table


def _memory(revival: Revival) -> Table:
    told = revival.cut.told
    kept = f"{told.kept} of {told.said} messages of the user's back, word for word"
    following = "as recorded" if told.next_right else "another than recorded"
    return _shown(
        "Memory survives",
        f"killed at turn {revival.turn} while a command ran, resumed by another session: {kept}; "
        f"next action {following}; {told.tokens} tokens beside the user's words",
        holds=revival.holds,
    )


def _rules(given: GiveWay) -> Table:
    return _shown(
        "Rules give way",
        f"{given.rule_id} hid {given.hidden} lines of a real output; when one was asked for, it came back, "
        f"and of the next such output {given.hidden_then} were hidden",
        holds=given.holds,
    )


def _shown(name: str, text: str, *, holds: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    mark = Text("✓", "bold green") if holds else Text("✗", "bold red")
    table.add_row(mark, Text(name), Text(text, "dim"))
    return table


def _nobody(step: Step) -> None:
    pass
