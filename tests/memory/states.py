"""Steps, words and records for the tests of the execution state."""

from __future__ import annotations

from agentctx.memory import ids
from agentctx.memory.records import Commit, Step, StepKind
from agentctx.memory.state import ExecutionState
from agentctx.memory.state.render import block
from agentctx.tokens import estimate
from agentctx.values import Trust


def said(text: str, session: str = "s") -> Step:
    return Step(
        id=ids.new(), kind=StepKind.USER, observation=text, session=session, trust=Trust.USER
    )


def answer(text: str = "done") -> Step:
    return Step(id=ids.new(), kind=StepKind.ANSWER, thought=text, trust=Trust.MODEL)


def step(action: str, exit_code: int | None = None, call_id: str = "", output: str = "") -> Step:
    return Step(
        id=ids.new(), action=action, exit_code=exit_code, call_id=call_id, observation=output
    )


def call(action: str, call_id: str) -> Step:
    return Step(id=ids.new(), kind=StepKind.CALL, action=action, call_id=call_id)


def record(contribution: str = "something", **more: object) -> Commit:
    fields = {"branch": "main", **more}
    return Commit(id=ids.new(), contribution=contribution, **fields)  # type: ignore[arg-type]


def ours(state: ExecutionState, budget: int = 600, words_budget: int = 4_000) -> int:
    """Return the tokens of everything in the block beside the user's own text."""
    parts = block(state, estimate, budget, words_budget)
    return estimate("\n".join(part.text for part in parts if not part.theirs))


def section(text: str, title: str) -> list[str]:
    """Return the items below a title."""
    lines = text.split("\n")
    items = lines[lines.index(title) + 1 :] if title in lines else []
    end = next((i for i, line in enumerate(items) if not line.startswith("- ")), len(items))
    return [line[2:] for line in items[:end]]
