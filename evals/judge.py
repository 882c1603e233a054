"""One run under one policy, measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from agentctx.evals.audit import Audit, audit
from agentctx.evals.cost import bill
from agentctx.evals.counts import Counts, Spend
from agentctx.evals.family import family
from agentctx.evals.lines import visible
from agentctx.evals.meter import Tally
from agentctx.evals.policy import Arm
from agentctx.evals.results import ArmRun, Example, Point
from agentctx.evals.score import Stakes, Use
from agentctx.evals.steps import hidden_tokens
from agentctx.evals.trajectory import Trajectory, Turn
from agentctx.evals.walk import Walk
from agentctx.prices import Price, cost
from agentctx.values import Usage

EXAMPLES = 2
"""Before/after pairs kept of each run: those that saved most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Knows a run, what was at stake on it, and its prices."""

    trajectory: Trajectory
    stakes: Stakes
    tally: Tally
    price: Price
    scale: float

    def judge(self, policy: str, arm: Arm, walk: Walk) -> ArmRun:
        """Return what a policy saved, kept, lost and cost."""
        turns = [turn for turn in self.trajectory.turns if turn.seen]
        turns = turns[: len(walk.shown)]
        families: defaultdict[str, Counts] = defaultdict(Counts)
        steps: defaultdict[str, int] = defaultdict(int)
        for number, turn in enumerate(turns):
            families[_family(turn)] += self._counts(number, turn, walk, arm)
            for step, tokens in hidden_tokens(_raw(turn), walk.last(number), self.tally).items():
                steps[step] += tokens
        spend, points = self._spend(walk)
        return ArmRun(
            policy=policy,
            spend=spend,
            families=dict(families),
            points=points,
            steps=dict(steps),
            examples=self._examples(turns, walk),
            seconds=walk.seconds,
            memory=walk.memory,
            touched=walk.touched,
        )

    def _counts(self, number: int, turn: Turn, walk: Walk, arm: Arm) -> Counts:
        raw, out = _raw(turn), walk.last(number)
        before, after = self.tally.count(raw), self.tally.count(out)
        lines = self.stakes.evidence[number]
        uses = [use for use in self.stakes.uses if use.seen == number]
        found = audit(raw, out, arm) if out != raw else Audit()
        return Counts(
            observations=1,
            tokens_raw=before,
            tokens_out=after,
            longer=after > before,
            changed=out != raw,
            evidence_kept=len(lines) if out == raw else kept(lines, out),
            evidence=len(lines),
            uses_kept=sum(use.text in walk.at(number, use.turn) for use in uses),
            uses=len(uses),
            verbatim=found.verbatim,
            lost=found.lost,
            dangling=found.dangling,
        )

    def _spend(self, walk: Walk) -> tuple[Spend, tuple[Point, ...]]:
        fetched = self._retrievals(walk)
        usages = bill(walk.calls, self.price, fetched, self.scale)
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

    def _retrievals(self, walk: Walk) -> dict[int, int]:
        """Return the tokens to fetch before each call whose answer needs what was hidden."""
        raw = [turn.seen.text for turn in self.trajectory.turns if turn.seen]
        first: dict[int, Use] = {}
        for use in self.stakes.uses:
            if use.seen < len(walk.shown) and use.text not in walk.at(use.seen, use.turn):
                first.setdefault(use.seen, use)
        fetched: defaultdict[int, int] = defaultdict(int)
        for number, use in first.items():
            fetched[use.turn] += self.tally.count(raw[number])
        return dict(fetched)

    def _examples(self, turns: Sequence[Turn], walk: Walk) -> tuple[Example, ...]:
        changed = [i for i, turn in enumerate(turns) if walk.last(i) != _raw(turn)]
        examples = [self._example(i, turns[i], walk.last(i)) for i in changed]
        examples.sort(key=lambda e: (e.tokens_after - e.tokens_before, e.number))
        return tuple(examples[:EXAMPLES])

    def _example(self, number: int, turn: Turn, after: str) -> Example:
        return Example(
            run=self.trajectory.id,
            number=number,
            command=turn.command or str(turn.call.arguments if turn.call else ""),
            family=_family(turn),
            before=_raw(turn),
            after=after,
            tokens_before=self.tally.count(_raw(turn)),
            tokens_after=self.tally.count(after),
        )


def kept(lines: Sequence[str], out: str) -> int:
    """Count the evidence lines that stand in an emitted text."""
    shown = {line.rstrip() for line in visible(out)}
    return sum(line in shown for line in lines)


def _points(usages: list[Usage], dollars: list[float], fetched: dict[int, int]) -> list[Point]:
    """Return one point for each call of the run, a retrieval before it included."""
    points: list[Point] = []
    spent = 0.0
    for usage, price in zip(usages, dollars, strict=True):
        spent += price
        if len(points) in fetched:
            fetched = {call: n for call, n in fetched.items() if call != len(points)}
            continue
        points.append(Point(usage.prompt, spent))
        spent = 0.0
    return points


def _raw(turn: Turn) -> str:
    return turn.seen.text if turn.seen else ""


def _family(turn: Turn) -> str:
    return family(turn.command, turn.call.name if turn.call else "")
