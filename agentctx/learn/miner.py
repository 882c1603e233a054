"""The miner: candidates from lines that come again and again and that nobody used; no model needed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agentctx.learn.case import Case
from agentctx.learn.template import template
from agentctx.terminal.evidence import evidence
from agentctx.terminal.lines import Line
from agentctx.terminal.rules.rule import MOST, Rule, Status
from agentctx.terminal.rules.scope import Scope, scope_of
from agentctx.terminal.screen import screen

LEAST_LINES, LEAST_OUTPUTS, LEAST_TASKS = 30, 5, 3
"""How often a kind of line has to come before it is proposed."""

MOST_USES = 0.01
"""Strings that were used and stand nowhere else, by its lines; the gate looks closer."""

LEAST_CHARACTERS = 2_000
"""What it has to be worth over all outputs."""

_KINDS = 50_000
"""Templates that are counted at once in a scope; the rarest go beyond it."""

_FAILS = re.compile(
    r"^(?:FAIL|ERROR|E  )|\b(?:FAILED|[1-9]\d* (?:failed|errors?))\b|Traceback|\b(?:error|fatal): "
)


@dataclass(slots=True)
class _Kind:
    """Lines of one template; `calm` counts the outputs with some in which nothing failed."""

    lines: int = 0
    characters: int = 0
    uses: int = 0
    calm: int = 0
    tasks: set[str] = field(default_factory=set)


def mine(cases: Sequence[Case]) -> Iterator[Rule]:
    """Yield a candidate for each command whose outputs have lines that nobody needs."""
    scopes: dict[Scope, list[Case]] = defaultdict(list)
    for case in cases:
        if (scope := scope_of(case.observation.command, case.observation.tool)) is not None:
            scopes[scope].append(case)
    for scope, members in sorted(scopes.items()):
        patterns = _patterns(_kinds(members))
        if patterns:
            tasks = len({case.task for case in members})
            yield Rule(
                rule_id="learnt." + "-".join(filter(None, scope)),
                trigger_regex=scope.trigger,
                summary_header=f"usual {scope.program} lines",
                strip_patterns=patterns,
                keep_first_n=0,
                keep_last_n=2,
                provenance=f"mined from {len(members)} outputs of {tasks} tasks",
                status=Status.CANDIDATE,
            )


def fails(line: Line) -> bool:
    """Tell whether a line says that something failed."""
    return _FAILS.search(line.text) is not None


def _kinds(cases: Sequence[Case]) -> Mapping[str, _Kind]:
    found: dict[str, _Kind] = {}
    for case in cases:
        lines = screen(case.observation.output)
        calm = not any(map(fails, lines))
        stays = zip(lines, evidence(lines), strict=True)
        kinds = [(line, "" if kept else template(line.text)) for line, kept in stays]
        here: set[str] = set()
        for line, pattern in kinds:
            if not pattern:
                continue
            kind = found.setdefault(pattern, _Kind())
            kind.lines += 1
            kind.characters += len(line.text)
            kind.calm += calm and pattern not in here
            kind.tasks.add(case.task)
            here.add(pattern)
        for pattern in _needed(case, kinds):
            found[pattern].uses += 1
        if len(found) > _KINDS:
            common = sorted(found.items(), key=lambda one: -one[1].characters)
            found = dict(common[: _KINDS // 2])
    return found


def _needed(case: Case, kinds: Sequence[tuple[Line, str]]) -> Iterator[str]:
    """Yield the kind of line of each used string that stands in lines of that kind alone."""
    for used in case.used:
        where = {pattern for line, pattern in kinds if used in line.text}
        if len(where) == 1 and (pattern := where.pop()):
            yield pattern


def _patterns(kinds: Mapping[str, _Kind]) -> tuple[str, ...]:
    worth = [
        (kind.characters, pattern)
        for pattern, kind in kinds.items()
        if kind.lines >= LEAST_LINES
        and kind.characters >= LEAST_CHARACTERS
        and kind.calm >= LEAST_OUTPUTS
        and len(kind.tasks) >= LEAST_TASKS
        and kind.uses <= MOST_USES * kind.lines
    ]
    return tuple(pattern for _, pattern in sorted(worth, reverse=True)[:MOST])
