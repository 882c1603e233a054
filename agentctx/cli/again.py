"""A command that is run again where nothing was changed: its reader came back for what was hidden."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from agentctx.errors import AgentctxError
from agentctx.values import Observation, Reduction, content_id

if TYPE_CHECKING:
    from agentctx.evolve.feedback import Feedback
    from agentctx.session import Session

_RAN = "ran"
_RECENT = 3_600  # seconds


def observe(session: Session, observation: Observation, started: float) -> Reduction:
    """Return what the agent sees of a command's output: all of it if it came back for it."""
    from agentctx.evolve.feedback import Feedback

    feedback = Feedback(session.stores)
    if not feedback.listens:
        return session.observe(observation)
    key = ""
    try:
        folder = Path.cwd()
        key = "exec:" + content_id("\0".join([str(folder), observation.command]))[:16]
        _listen(feedback, key, folder, started)
    except (AgentctxError, OSError) as error:
        session.stores.tell("feedback-failed", key, error=str(error)[:500])
    made = session.observe(observation)
    if key and not {rule.rule_id for rule in session.stores.book.rules}.isdisjoint(made.rules):
        session.stores.tell(_RAN, key, handle=made.handle, ended=time.time())
    return made


def _listen(feedback: Feedback, key: str, folder: Path, started: float) -> None:
    from agentctx.evolve.feedback import AGAIN
    from agentctx.evolve.tree import changed

    ledger = feedback.stores.ledger
    before = [event.detail for event in ledger.events(key) if event.kind == _RAN][-1:]
    for ran in before:
        ended = float(ran.get("ended", 0))
        recent = 0 < started - ended < _RECENT
        decision = ledger.reduced(str(ran.get("handle"))) if recent else None
        if decision and not changed(folder, ended, started):
            feedback.came_back(AGAIN, decision, key)
