"""What of a run's outputs mattered: evidence lines, and strings that the agent went on to use.

The definitions follow TACO's measurements; the detectors are this file's own, so that the
product is not marked by its own hand.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from agentctx.evals.family import runs
from agentctx.evals.host import canonical
from agentctx.evals.lines import visible
from agentctx.evals.trajectory import Trajectory, Turn

WITHIN = 5
"""A string counts when one of the next five actions uses it."""

_EVIDENCE = re.compile(
    r"^Traceback \(most recent call last\)"
    r"|^\s*File \"[^\"]+\", line \d+"
    r"|^E\s{2,}\S"
    r"|^(?:FAILED|ERROR|FAIL|XPASS)\b"
    r"|^\s*(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Failure|Interrupt|Exit)\b(?::|$)"
    r"|\b(?:error|fatal|panic|failure|failed|errors|failures)\b\s*[:\[(!]"
    r"|^(?:fatal|error|critical|panic)\b"
    r"|\.\w{1,5}:\d+(?::\d+)?:\s+\S*(?:[Ee]rror|[Ww]arning|Exception)"
    r"|^={3,}.*\b(?:passed|failed|errors?|skipped|no tests ran)\b.*={3,}$"
    r"|^\d+ (?:passed|failed|errors?)\b"
    r"|\b\d+ (?:failed|errors?|failures?)\b"
    r"|^Ran \d+ tests? in\b|^OK(?: \(.*\))?$|^FAILED \("
    r"|^Successfully (?:installed|built)\b"
    r"|\b[Ss]egmentation fault\b|\bcommand not found$|: No such file or directory$"
    r"|: Permission denied$|\bcore dumped\b|^Killed$|^Aborted\b"
)
_PASSED = re.compile(r"\.\.\. ok$|\bPASSED\b|^ok\b")

_PATH = r"(?:[\w.@+~-]+)?(?:/[\w.@+-]+)+"
_NAME = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
_HASH = r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}"
_SPECIFIC = re.compile(rf"(?<![\w.])(?:{_HASH})(?!\w)|{_PATH}|{_NAME}|(?<!\d)\d{{5,}}(?!\d)")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")


@dataclass(frozen=True, slots=True)
class Use:
    """A string first seen in observation `seen` that the action of turn `turn` used."""

    seen: int
    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a policy must not lose on one run; `evidence` holds the lines of each observation."""

    evidence: tuple[tuple[str, ...], ...]
    uses: tuple[Use, ...]


def stakes(trajectory: Trajectory) -> Stakes:
    """Return what mattered on a run; no policy takes part in it."""
    seen = [turn for turn in trajectory.turns if turn.seen]
    return Stakes(tuple(evidence(turn) for turn in seen), tuple(uses(trajectory)))


def evidence(turn: Turn) -> tuple[str, ...]:
    """Return the distinct lines of a result that report an error, a failure or a summary."""
    if not turn.seen or not runs(turn.command, turn.tool):
        return ()
    found = (line.rstrip() for line in visible(turn.seen.text) if reports(line.rstrip()))
    return tuple(dict.fromkeys(found))


def reports(line: str) -> bool:
    """Tell whether a line of an execution's output is evidence."""
    return _EVIDENCE.search(line) is not None and not _PASSED.search(line)


def specific(text: str) -> Iterator[str]:
    """Yield the paths, identifiers, long numbers and hashes in a text, in order."""
    for match in _SPECIFIC.finditer(text):
        string = match[0].strip(".-")
        if _specific(string):
            yield string


def uses(trajectory: Trajectory) -> Iterator[Use]:
    """Yield the strings that an observation brought in and a near action used."""
    segments, owners, actions = _segments(trajectory)
    whole = "\0".join(segments)
    starts = [0, *accumulate(len(s) + 1 for s in segments)]
    done: set[str] = set()
    for turn, action in actions:
        for string in specific(action):
            if string in done:
                continue
            done.add(string)
            owner = owners[bisect_right(starts, whole.find(string)) - 1]
            if owner and 0 < turn - owner[1] <= WITHIN:
                yield Use(owner[0], turn, string)


def _segments(
    trajectory: Trajectory,
) -> tuple[list[str], list[tuple[int, int] | None], list[tuple[int, str]]]:
    """Return every text in order, the (observation, turn) of those that are one, the actions."""
    segments = [trajectory.task, *(canonical(m["content"]) for m in trajectory.opening)]
    owners: list[tuple[int, int] | None] = [None] * len(segments)
    actions: list[tuple[int, str]] = []
    seen = 0
    for number, turn in enumerate(trajectory.turns):
        action = _action(turn)
        actions.append((number, action))
        segments += [turn.text, action, turn.note]
        owners += [None, None, None]
        if turn.seen:
            segments.append(turn.seen.text)
            owners.append((seen, number))
            seen += 1
    return segments, owners, actions


def _action(turn: Turn) -> str:
    if turn.call is None:
        return ""
    return "\n".join(v if isinstance(v, str) else str(v) for v in turn.call.arguments.values())


def _specific(string: str) -> bool:
    if "/" in string:
        return len(string) >= 6 and any(c.isalpha() for c in string)
    if string.isdigit():
        return len(string) >= 5
    if re.fullmatch(_HASH, string):
        return True
    return len(string) >= 6 and ("_" in string or "." in string or bool(_CAMEL.search(string)))
