"""A rule that gives way: what it hid is asked for, and the next output of the kind comes whole."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agentctx.config import Settings
from agentctx.session import Session
from agentctx.terminal.marker import handles
from agentctx.terminal.rules import pack
from agentctx.values import Observation, ToolCall

RULE = "pytest.passed"
_WAY = "expand {handle}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveWay:
    """What was seen of one rule and a real output.

    Attributes:
        rule_id: the rule.
        hidden: lines of the output that it hid at first.
        given_back: whether one of them came back when it was asked for.
        hidden_then: lines that it hid of the next such output.
    """

    rule_id: str
    hidden: int
    given_back: bool
    hidden_then: int

    @property
    def holds(self) -> bool:
        """Whether it gave way."""
        return self.hidden > 0 and self.given_back and not self.hidden_then


def give_way() -> GiveWay:
    """Show an output that ships twice to a session that asks, in between, for what was hidden."""
    place, rule = next(
        (place, rule) for place in pack.packs() for rule in pack.load(place) if rule.rule_id == RULE
    )
    sample = next(test for test in pack.with_outputs(rule, place).tests if test.hidden)
    wanted = sample.hidden[0]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        session = Session("demo", settings=Settings(data=Path(folder)), expand_hint=_WAY)
        before = session.observe(Observation(output=sample.output, command=sample.command))
        asked = {"handle": handles(before.text)[0], "grep": f"^{re.escape(wanted)}$"}
        answer = session.handle(ToolCall(id="1", name="expand", arguments=asked)) or ""
        session.observe(Observation(output="mended", command="python mend.py"))
        again = Observation(output=f"{sample.output}\n0.7 s", command=sample.command)
        after = session.observe(again)
        session.stores.ledger.close()
    lost = [line for line in sample.hidden if line not in after.text.split("\n")]
    hidden = sum(span.last - span.first + 1 for span in before.spans if span.hidden)
    return GiveWay(rule_id=RULE, hidden=hidden, given_back=wanted in answer, hidden_then=len(lost))
