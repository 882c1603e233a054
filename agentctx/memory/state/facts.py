"""What there is to tell another agent, piece by piece, with its worth and its cost in tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agentctx.memory.records import Step, StepKind
from agentctx.memory.state import ExecutionState
from agentctx.memory.state.excerpts import Count
from agentctx.memory.state.quotes import fence
from agentctx.memory.state.render import call, next_lines, noted, one_line, planned, proof, ran

# Tokens that it takes to find a thing out again, or to repair what its lack breaks: an estimate.
_WORTH = {
    "in_flight": 300.0,
    "findings": 300.0,
    "next_action": 200.0,
    "blockers": 200.0,
    "done": 150.0,
    "ran": 150.0,
    "open_items": 100.0,
}
_NEEDED = ("in_flight", "next_action", "words")
_CONSTRAINT = 600.0
_REQUEST = 1_000.0  # and as much as it is long
_STEP, _FADES = 400.0, 0.8  # the newest step; each one before it is needed less

_NEXT = 240  # characters of the next action that have to fit
_FENCE = 12  # tokens around one message


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing to tell: a value of the state's field `part`, or a step.

    `key` is what one knows who knows it. `worth` is that of the whole; where single lines count by
    themselves (`lines`, each `line_worth`), who knows the lines lacks only the rest.
    """

    part: str
    key: str
    value: Any
    cost: int
    worth: float = 0.0
    lines: tuple[str, ...] = ()

    def gain(self, known: str) -> float:
        """Return the tokens that it saves who knows this `plain` text."""
        if plain(self.key) in known:
            return 0.0
        return self.worth + _CONSTRAINT * sum(plain(line) not in known for line in self.lines)

    @property
    def needed(self) -> bool:
        """Whether nobody can go on without it."""
        return self.part in _NEEDED and self.worth + _CONSTRAINT * len(self.lines) > 0

    @property
    def density(self) -> float:
        """What it is worth for each of its tokens."""
        return self.gain("") / self.cost


def facts(state: ExecutionState, steps: Sequence[Step], count: Count) -> list[Fact]:
    """Return all there is to tell: what nobody can go on without, then the most valuable.

    That is the next action and the user's words. Otherwise the worth of its tokens decides.
    """
    found = [*_words(state, count), *_items(state, count), *_steps(steps, count)]
    return sorted(found, key=lambda fact: (not fact.needed, -fact.density))


def plain(text: str) -> str:
    """Return a text without differences of case and whitespace."""
    return " ".join(text.casefold().split())


def raw(step: Step) -> str:
    """Return a step as it was recorded, its observation between fences that it cannot close."""
    border = fence([step.observation])
    code = "" if step.exit_code is None else f" → exit {step.exit_code}"
    return f"- `{one_line(step.action)}`{code}\n{border}\n{step.observation}\n{border}"


def _words(state: ExecutionState, count: Count) -> Iterator[Fact]:
    for word in state.words:
        cost = count(word.text) + _FENCE
        yield Fact(
            part="words",
            key=word.text,
            value=word,
            cost=cost,
            worth=0.0 if word.answered else _REQUEST + cost,
            lines=tuple(line for line in state.constraints if line in word.text),
        )


def _items(state: ExecutionState, count: Count) -> Iterator[Fact]:
    following = [state.next_action] if state.next_action else []
    ahead = "\n".join(next_lines(state, _NEXT))
    told: tuple[tuple[str, Iterable[tuple[str, str, Any]]], ...] = (
        ("in_flight", ((step.action, call(step), step) for step in state.in_flight)),
        ("next_action", ((text, ahead, text) for text in following)),
        ("blockers", ((note.text, noted(note), note) for note in state.blockers)),
        ("findings", ((note.text, noted(note), note) for note in state.findings)),
        ("done", ((done.text, proof(done), done) for done in state.done)),
        ("ran", ((step.action, ran(step), step) for step in state.ran)),
        ("open_items", ((text, planned(text), text) for text in state.open_items)),
    )
    for part, values in told:
        for key, line, value in values:
            cost = count(f"- {line}\n") + 1
            long = cost if part == "next_action" else 0  # it is worth as much more as it is long
            yield Fact(part=part, key=key, value=value, cost=cost, worth=_WORTH[part] + long)


def _steps(steps: Sequence[Step], count: Count) -> Iterator[Fact]:
    seen = [step for step in steps if step.kind is StepKind.STEP and step.observation.strip()]
    for age, step in enumerate(reversed(seen)):
        cost = count(f"{raw(step)}\n") + 1
        worth = _STEP * _FADES**age
        yield Fact(part="steps", key=step.observation, value=step, cost=cost, worth=worth)
