"""What a record says that nobody wrote: told from the steps, by rule, the same for the same steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentctx.memory.records import Done, Step, StepKind
from agentctx.memory.state import ExecutionState
from agentctx.notes.outcome import Ran, ran

_LINES = 12
_LINE = 120
_SAID = 400
_SOURCES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The contents of a record; `next_action` is None to keep that of the record before."""

    contribution: str
    done: tuple[Done, ...] = ()
    next_action: str | None = None
    sources: tuple[str, ...] = ()


def worth_a_record(live: Sequence[Step], *, words: bool = False) -> bool:
    """Tell whether anything was done or answered since the newest record, or with `words` said."""
    kinds = {StepKind.STEP, StepKind.ANSWER, *([StepKind.USER] if words else [])}
    return any(step.kind in kinds for step in live)


def account(live: Sequence[Step], state: ExecutionState, why: str, recorded: str) -> Account:
    """Return what a record says of the steps since the one before.

    Args:
        live: those steps.
        state: where the work stands with them.
        why: what the record is written for, such as "end of session".
        recorded: the next action of the record before.
    """
    steps = [step for step in live if step.kind is StepKind.STEP]
    lines = [f"{_count(len(steps))} until {why}", *_actions(steps), *_said(live)]
    return Account(
        contribution="\n".join(lines),
        done=_tests(steps),
        next_action=_next(state, recorded),
        sources=tuple(step.id for step in steps[-_SOURCES:]),
    )


def _count(number: int) -> str:
    return f"{number} step{'' if number == 1 else 's'}"


def _actions(steps: Sequence[Step]) -> list[str]:
    """Return the newest actions, each once, where it was last taken."""
    last = {_short(step.action): step for step in steps if step.action}
    newest = sorted(last.values(), key=lambda step: step.id)[-_LINES:]
    left = len(last) - len(newest)
    lines = [f"- {_short(step.action)}{_exit(step)}" for step in newest]
    return [f"- ({left} earlier)", *lines] if left else lines


def _exit(step: Step) -> str:
    return "" if step.exit_code is None else f" (exit {step.exit_code})"


def _said(live: Sequence[Step]) -> list[str]:
    last = next((step.thought for step in reversed(live) if step.thought.strip()), "")
    return [f"Last said: {_short(last, _SAID)}"] if last else []


def _tests(steps: Sequence[Step]) -> tuple[Done, ...]:
    """Return the last run of tests as done if its exit status says so."""
    for step in reversed(steps):
        found = ran(step.action, step.observation, step.exit_code)
        if found is Ran.RED:
            return ()
        if found is Ran.GREEN and step.exit_code == 0:
            text = f"{_short(step.action)} passed"
            return (Done(text=text, command=_short(step.action), exit_code=0),)
    return ()


def _next(state: ExecutionState, recorded: str) -> str | None:
    """Return "" when the recorded action was taken; calls in flight outlive a record anyway."""
    flying = state.next_action in {step.action for step in state.in_flight}
    planned = state.afterwards if flying else state.next_action
    return "" if recorded and planned != recorded else None


def _short(text: str, longest: int = _LINE) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
