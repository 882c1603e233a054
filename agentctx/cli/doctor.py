"""`agentctx doctor`: what works here, what does not, and how to mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from agentctx import config
from agentctx.cli.checks import CHECKS, Check, Place
from agentctx.cli.extras import installed
from agentctx.cli.output import print_json, print_table
from agentctx.errors import AgentctxError

if TYPE_CHECKING:
    from rich.table import Table


def run(*, as_json: bool) -> int:
    """Print every check; return 1 if one failed."""
    found = list(_checks())
    if as_json:
        print_json({"ok": all(check.ok for check in found), "checks": [asdict(c) for c in found]})
    else:
        print_table(_table(found))
    return 0 if all(check.ok for check in found) else 1


def _checks() -> Iterator[Check]:
    settings, configuration = _configuration()
    yield configuration
    place = Place(settings)
    for name, check in CHECKS.items():
        yield _tried(name, check, place)
    yield from installed()


def _configuration() -> tuple[config.Settings, Check]:
    try:
        settings = config.load()
    except AgentctxError as error:
        return config.Settings(), Check("settings", str(error), ok=False)
    origins = sorted(set(settings.sources.values())) or ["defaults only"]
    return settings, Check("settings", ", ".join(origins))


def _tried(name: str, check: Callable[[Place], Check], place: Place) -> Check:
    try:
        return check(place)
    except Exception as error:  # a check that breaks has found something
        text = " ".join(str(error).split()) or type(error).__name__
        return Check(name, text, ok=False)


def _table(found: list[Check]) -> Table:
    from rich.table import Table

    table = Table("", "what", "found")
    for check in found:
        sign = "[green]ok[/]" if check.ok and not check.remedy else "[yellow]note[/]"
        table.add_row(sign if check.ok else "[red]bad[/]", check.name, _words(check))
    return table


def _words(check: Check) -> str:
    from rich.markup import escape

    return escape(f"{check.found}\n→ {check.remedy}" if check.remedy else check.found)
