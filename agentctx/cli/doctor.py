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
    from rich.text import Text


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
        remedy = f"\n→ {check.remedy}" if check.remedy else ""
        table.add_row(_sign(check), check.name, check.found + remedy)
    return table


def _sign(check: Check) -> Text:
    from rich.text import Text

    if not check.ok:
        return Text("bad", "red")
    return Text("note", "yellow") if check.remedy else Text("ok", "green")
