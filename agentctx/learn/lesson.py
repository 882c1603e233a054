"""Lesson: what was proposed, what became of it, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from agentctx.learn.case import Case
from agentctx.learn.gate import Shadow, Verdict, harm, judge, shadow, vague
from agentctx.learn.miner import mine
from agentctx.learn.proposer import Ask, Refused, propose
from agentctx.learn.sample import proven
from agentctx.terminal.rules.rule import Rule, Status

HELD_OUT = 3
"""One task in so many is kept aside: what is learnt on the others has to hold there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A rule as it came out: active, or refused (see `why`).

    `dropped` are patterns that it was proposed with and lost, each with the reason.
    """

    rule: Rule
    shadow: Verdict
    held_out: Verdict
    dropped: tuple[tuple[str, str], ...] = ()

    @property
    def why(self) -> str:
        """Why it is not active, "" if it is."""
        if self.shadow.why or self.held_out.why:
            return self.shadow.why or f"on other tasks: {self.held_out.why}"
        return "" if self.rule.tests else "no short output shows what it does"


def learn(
    cases: Sequence[Case],
    others: Sequence[Rule] = (),
    redact: Callable[[str], str] = str,
    tell: Callable[[int, int], None] = lambda done, total: None,
    ask: Ask | None = None,
) -> Iterator[Lesson]:
    """Yield what can be learnt from outputs of the past, beside the rules that are in force.

    A candidate is tried in the shadow on the tasks that it was made from, pattern by pattern; what
    is left of it becomes active only if it also holds on tasks that it was not made from, and if a
    short output shows what it does.

    Args:
        cases: outputs with what was used of them.
        others: the rules in force.
        redact: takes secrets out of the outputs that prove a rule, which are stored with it.
        tell: told how many of how many candidates are done.
        ask: a model that proposes more of them, for what is not covered then.
    """
    apart = [case for case in cases if held_out(case.task)]
    rest = [case for case in cases if not held_out(case.task)]
    found = list(others)
    yield from _tried(list(mine(rest)), rest, apart, found, redact, tell)
    if ask is not None:
        proposals = list(propose(rest, found, ask, redact))
        refused = [one for one in proposals if isinstance(one, Refused)]
        rules = [one for one in proposals if isinstance(one, Rule)]
        yield from map(_refused, refused)
        yield from _tried(rules, rest, apart, found, redact, tell)


def _tried(
    candidates: Sequence[Rule],
    rest: Sequence[Case],
    apart: Sequence[Case],
    found: list[Rule],
    redact: Callable[[str], str],
    tell: Callable[[int, int], None],
) -> Iterator[Lesson]:
    """Yield what becomes of candidates; the active ones join those that are `found`."""
    here, there = shadow(rest, found), shadow(apart, found)
    for number, candidate in enumerate(candidates, 1):
        lesson = _lesson(candidate, here, there)
        if lesson.shadow.ok and lesson.held_out.ok:
            lesson = replace(lesson, rule=proven(lesson.rule, here.trials, redact))
        if not lesson.why:
            found.append(lesson.rule)
            here, there = shadow(rest, found), shadow(apart, found)
        tell(number, len(candidates))
        yield lesson


def _refused(one: Refused) -> Lesson:
    rule = Rule(rule_id=one.name, trigger_regex="", status=Status.CANDIDATE)
    return Lesson(rule=rule, shadow=Verdict(why=one.why), held_out=Verdict())


def held_out(task: str) -> bool:
    """Tell whether a task is one of those that are kept aside."""
    return int.from_bytes(sha256(task.encode()).digest()[:4]) % HELD_OUT == 0


def _lesson(candidate: Rule, here: Shadow, there: Shadow) -> Lesson:
    active = replace(candidate, status=Status.ACTIVE)  # for the trial
    kept, dropped = list[str](), list[tuple[str, str]]()
    most = {pattern: here.matched(active, pattern) for pattern in candidate.strip_patterns}
    for pattern in sorted(most, key=lambda pattern: -most[pattern]):
        if vague(pattern):
            dropped.append((pattern, "matches any line: say more of what it is for"))
            continue
        verdict = judge(replace(active, strip_patterns=(*kept, pattern)), here)
        if harm(verdict):
            dropped.append((pattern, verdict.why))
        else:
            kept.append(pattern)
    if not kept:
        nothing = Verdict(why=dropped[-1][1])
        return Lesson(rule=candidate, shadow=nothing, held_out=nothing, dropped=tuple(dropped))
    tried = replace(active, strip_patterns=tuple(kept))
    return Lesson(
        rule=tried, shadow=judge(tried, here), held_out=judge(tried, there), dropped=tuple(dropped)
    )
