"""One run under one policy, measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from agentctx.evals.cost import bill
from agentctx.evals.counts import Counts, Spend
from agentctx.evals.finding import Finding, findings
from agentctx.evals.meter import Tally
from agentctx.evals.policy import Arm
from agentctx.evals.results import ArmRun, Example, Point
from agentctx.evals.score import Stakes
from agentctx.evals.steps import hidden_tokens
from agentctx.evals.trajectory import Trajectory
from agentctx.evals.walk import Walk
from agentctx.prices import Price, cost
from agentctx.values import Usage

EXAMPLES = 2
"""Before/after pairs kept of each run: those that saved most."""

MISSES = 50
"""Misses kept of each run by name; all are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Knows a run, what was at stake on it, and its prices."""

    trajectory: Trajectory
    stakes: Stakes
    tally: Tally
    price: Price
    scale: float = 1.0

    def found(self, arm: Arm, walk: Walk) -> list[Finding]:
        """Return what is found of every observation that some request showed."""
        return list(findings(self.trajectory.turns, self.stakes, walk, arm, self.tally))

    def bill(self, walk: Walk, fetched: Mapping[int, int]) -> list[Usage]:
        """Return the usage of every call; `fetched` are the tokens to fetch before each."""
        return bill(walk.calls, self.price, fetched, self.scale)

    def judge(self, policy: str, walk: Walk, found: Sequence[Finding]) -> ArmRun:
        """Return what a policy saved, kept, lost and cost."""
        families: defaultdict[str, Counts] = defaultdict(Counts)
        steps: defaultdict[str, int] = defaultdict(int)
        for one in found:
            families[one.family] += one.counts()
            for step, tokens in hidden_tokens(one.raw, one.out, self.tally).items():
                steps[step] += tokens
        spend, points = self._spend(walk, retrievals(found))
        misses = (miss for one in found for miss in one.misses(self.trajectory.id))
        return ArmRun(
            policy=policy,
            spend=spend,
            families=dict(families),
            points=points,
            steps=dict(steps),
            examples=self._examples(found),
            misses=tuple(islice(misses, MISSES)),
            seconds=walk.seconds,
            memory=walk.memory,
            touched=walk.touched,
        )

    def _spend(self, walk: Walk, fetched: dict[int, int]) -> tuple[Spend, tuple[Point, ...]]:
        usages = self.bill(walk, fetched)
        dollars = [cost(usage, self.price) or 0.0 for usage in usages]
        spend = Spend(
            calls=len(walk.calls),
            input=sum(u.input for u in usages),
            cache_read=sum(u.cache_read for u in usages),
            cache_write=sum(u.cache_write for u in usages),
            output=sum(u.output for u in usages),
            dollars=sum(dollars),
            retrievals=len(fetched),
            moved=walk.moved,
        )
        return spend, tuple(_points(usages, dollars, fetched))

    def _examples(self, found: Sequence[Finding]) -> tuple[Example, ...]:
        changed = [one for one in found if one.out != one.raw]
        changed.sort(key=lambda one: (one.after - one.before, one.number))
        return tuple(one.example(self.trajectory.id) for one in changed[:EXAMPLES])


def retrievals(found: Sequence[Finding]) -> dict[int, int]:
    """Return the tokens to fetch before each call whose answer needs what was hidden."""
    fetched: defaultdict[int, int] = defaultdict(int)
    for one in found:
        if one.hidden:
            fetched[min(use.turn for use in one.hidden)] += one.before
    return dict(fetched)


def _points(usages: list[Usage], dollars: list[float], fetched: dict[int, int]) -> list[Point]:
    """Return one point for each call of the run, a retrieval before it included."""
    points: list[Point] = []
    pending = set(fetched)
    spent = 0.0
    for usage, price in zip(usages, dollars, strict=True):
        spent += price
        if len(points) in pending:
            pending.remove(len(points))
            continue
        points.append(Point(usage.prompt, spent))
        spent = 0.0
    return points
