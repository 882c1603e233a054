"""Case: one output of the past, and what of it the agent went on to use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agentctx.values import Observation

AHEAD = 5
"""Actions after an output in which a string counts as used (as in future-use recall)."""

_TOKEN = re.compile(r"[\w./:-]*\w")
_SPECIFIC = re.compile(r"[a-z0-9][A-Z]|\w[_./:-]\w")
_NUMBER = re.compile(r"\d{5,}|[0-9a-f]{7,40}")
_SHORTEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What the agent said and did, and what came of it."""

    said: str
    observation: Observation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An output, the task whose run it is of, and the strings that were used afterwards.

    These stand nowhere before this output, and one of the next five actions names them: paths,
    identifiers with `_`, `.` or CamelCase of at least six characters, numbers of five digits, hashes.
    """

    observation: Observation
    task: str = ""
    used: tuple[str, ...] = ()


def cases(task: str, opening: Iterable[str], steps: Sequence[Step]) -> Iterator[Case]:
    """Yield the outputs of one run as cases.

    Args:
        task: names what the run is about; runs of one task belong together.
        opening: all that was said before the first step.
        steps: the run.
    """
    seen: set[str] = set()
    for text in opening:
        seen |= strings(text)
    said = [strings(step.said) for step in steps]
    for number, step in enumerate(steps):
        seen |= said[number]
        if step.observation is None:
            continue
        fresh = strings(step.observation.output) - seen
        later = set[str]().union(*said[number + 1 : number + 1 + AHEAD])
        yield Case(observation=step.observation, task=task, used=tuple(sorted(fresh & later)))
        seen |= fresh


def strings(text: str) -> set[str]:
    """Return the specific strings of a text."""
    return {token for token in _TOKEN.findall(text) if _specific(token)}


def _specific(token: str) -> bool:
    if _NUMBER.fullmatch(token):
        return True
    return len(token) >= _SHORTEST and _SPECIFIC.search(token) is not None
