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
    ran = [event.detail for event in ledger.events(key) if event.kind == _RAN]
    ended = float(ran[-1].get("ended", 0)) if ran else 0.0
    if not 0 < started - ended < _RECENT:
        return
    decision = ledger.reduced(str(ran[-1].get("handle")))
    if decision and not changed(folder, ended, started):
        feedback.came_back(AGAIN, decision, key)
