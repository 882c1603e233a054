"""The table of `agentctx rules list`, as narrow as a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentctx.terminal.rules.named import named

if TYPE_CHECKING:
    from rich.table import Table

    from agentctx.terminal.rules.rule import Rule

BESIDE, LEAST, MOST = 60, 18, 60
"""Characters that the other columns take, and room for the commands: the least and the most."""


def table(rules: Sequence[Rule]) -> Table:
    """Return a line for each rule; `show` and `--json` have the patterns."""
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    room = min(MOST, max(LEAST, Console().width - BESIDE))
    plain = Column("rule", no_wrap=True)
    made = Table(plain, "hides", "status", Column("for", no_wrap=True), box=None, pad_edge=False)
    for rule in rules:
        words = (rule.rule_id, rule.reason, rule.status, named(rule.trigger_regex, room))
        made.add_row(*map(Text, words))
    return made
