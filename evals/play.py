"""One run played through a real Session, watched from outside."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from agentctx.config import Settings
from agentctx.evals.gather import gather
from agentctx.evals.host import Request
from agentctx.evals.judge import Judge, retrievals
from agentctx.evals.meter import Tally
from agentctx.evals.one import MODEL, RAW
from agentctx.evals.ours import SessionArm
from agentctx.evals.policy import find
from agentctx.evals.proof import Prefix, Proof, broken, prefix, prove
from agentctx.evals.results import ArmRun, Example, Results, Run
from agentctx.evals.score import stakes
from agentctx.evals.trajectory import Trajectory, Turn
from agentctx.evals.walk import Walk, walk
from agentctx.prices import price
from agentctx.tokens import counter
from agentctx.values import Payload, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is told at each call: `raw` and `sent` are the tokens of its prompt."""

    number: int
    of: int
    command: str
    raw: int
    sent: int


Tell = Callable[[Step], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A run with and without agentctx; calls hold the usages of each, retrievals before it first."""

    trajectory: Trajectory
    results: Results
    raw_calls: tuple[tuple[Usage, ...], ...]
    calls: tuple[tuple[Usage, ...], ...]
    observations: tuple[Example, ...]
    proofs: tuple[Proof, ...]
    prefix: Prefix
    broken: int

    @property
    def turns(self) -> tuple[int, ...]:
        """For each observation the number of its turn, counted from 1."""
        return tuple(i for i, turn in enumerate(self.trajectory.turns, 1) if turn.seen)


class Watched:
    """An arm that keeps the requests it sent, and tells of each."""

    def __init__(self, arm: SessionArm, tell: Callable[[Payload], None]) -> None:
        """Watch `arm`; what the telling takes is not in `seconds`."""
        self.requests: list[Payload] = []
        self.seconds = array("d")
        self._arm, self._tell, self._pending = arm, tell, 0.0
        self.standing, self.original = arm.standing, arm.original
        self.expand, self.close = arm.expand, arm.close

    def arrive(self, turn: Turn) -> str:
        """Return what the arm makes of a result."""
        begin = time.perf_counter()
        text = self._arm.arrive(turn)
        self._pending = time.perf_counter() - begin
        return text

    def send(self, request: Request) -> Payload:
        """Return what the arm makes of a request."""
        begin = time.perf_counter()
        sent = self._arm.send(request)
        self.seconds.append(time.perf_counter() - begin + self._pending)
        self._pending = 0.0
        self.requests.append(sent)
        self._tell(sent)
        return sent


def play(trajectory: Trajectory, settings: Settings, tell: Tell) -> Played:
    """Return what became of a run under these settings, and of the same run without agentctx."""
    judge = Judge(
        trajectory=trajectory,
        stakes=stakes(trajectory),
        tally=Tally(counter(trajectory.model)),
        price=price(trajectory.model),
    )
    plain = find(RAW).start(trajectory, {})
    raw = walk(trajectory, plain, judge.tally)
    arm = SessionArm(trajectory, settings)
    try:
        watched = Watched(arm, _teller(judge, raw, tell))
        walked = replace(walk(trajectory, watched, judge.tally), seconds=watched.seconds)
        found = judge.found(watched, walked)
        arms = {
            RAW: judge.judge(RAW, raw, judge.found(plain, raw)),
            MODEL: judge.judge(MODEL, walked, found),
        }
        shown = tuple(one.example(trajectory.id) for one in found)
        return Played(
            trajectory=trajectory,
            results=gather([_run(trajectory, arms)], (RAW, MODEL), (), 0, 0),
            raw_calls=_usages(judge, raw, {}),
            calls=_usages(judge, walked, retrievals(found)),
            observations=shown,
            proofs=prove(shown, arm),
            prefix=prefix(watched.requests),
            broken=broken(watched.requests, trajectory.wire),
        )
    finally:
        arm.close()


def _teller(judge: Judge, raw: Walk, tell: Tell) -> Callable[[Payload], None]:
    commands = ["", *(turn.command or turn.tool for turn in judge.trajectory.turns)]
    prompts = iter(enumerate(raw.calls))

    def told(sent: Payload) -> None:
        number, call = next(prompts)
        tokens = judge.tally.head(sent) + sum(map(judge.tally.message, sent["messages"]))
        tell(Step(
            number=number + 1, of=len(raw.calls), command=commands[number], raw=call.prompt, sent=tokens,
        ))  # fmt: skip

    return told


def _usages(
    judge: Judge, walked: Walk, fetched: Mapping[int, int]
) -> tuple[tuple[Usage, ...], ...]:
    usages = iter(judge.bill(walked, fetched))
    sizes = (1 + (number in fetched) for number in range(len(walked.calls)))
    return tuple(tuple(next(usages) for _ in range(size)) for size in sizes)


def _run(trajectory: Trajectory, arms: dict[str, ArmRun]) -> Run:
    return Run(
        id=trajectory.id,
        task=trajectory.task,
        source=trajectory.source,
        model=trajectory.model,
        arms=arms,
    )


def best(observations: Sequence[Example], count: int, per_family: int = 4) -> tuple[Example, ...]:
    """Return the observations that saved most, at most so many of a family, in their order."""
    chosen: list[Example] = []
    changed = [one for one in observations if one.after != one.before]
    for one in sorted(changed, key=lambda e: e.tokens_after - e.tokens_before):
        if sum(other.family == one.family for other in chosen) < per_family:
            chosen.append(one)
    rest = (one for one in changed if one not in chosen)
    chosen = [*chosen, *rest][:count]
    return tuple(sorted(chosen, key=lambda e: e.number))
