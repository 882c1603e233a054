"""One trajectory under every policy: the unit of work of a replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agentctx.evals.counts import ratio
from agentctx.evals.judge import Judge
from agentctx.evals.load import Record, load
from agentctx.evals.meter import Tally
from agentctx.evals.policy import find
from agentctx.evals.results import ArmRun, Run
from agentctx.evals.score import stakes
from agentctx.evals.trajectory import HOST_PROMPT, Trajectory
from agentctx.evals.walk import Walk, walk
from agentctx.prices import price
from agentctx.tokens import counter

RAW, MODEL, CONTROL = "raw", "agentctx", "random"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run, or the note that says why there is none."""

    run: Run | None
    note: str = ""
    repaired: bool = False


def replay(record: Record, policies: Sequence[str], host_prompt: int = HOST_PROMPT) -> Outcome:
    """Return what every policy made of the trajectory in a record.

    `host_prompt` are the tokens of a system prompt where none was recorded.
    """
    loaded = load(record)
    if loaded.trajectory is None:
        return Outcome(None, loaded.note)
    trajectory = loaded.trajectory
    if trajectory.host_prompt:
        trajectory = replace(trajectory, host_prompt=host_prompt)
    return Outcome(compare(trajectory, policies), loaded.note, loaded.repaired)


def compare(trajectory: Trajectory, policies: Sequence[str]) -> Run:
    """Return a run under `policies`; raw is always among them, as what they are compared with."""
    tally = Tally(counter(trajectory.model))
    raw = _raw(trajectory, tally)
    recorded = _recorded(trajectory, raw)
    judge = Judge(
        trajectory=trajectory,
        stakes=stakes(trajectory),
        tally=tally,
        price=price(trajectory.model),
        scale=_scale(recorded),
    )
    arms: dict[str, ArmRun] = {}
    ratios: Mapping[int, float] = {}
    for name in order(policies):
        arm = find(name).start(trajectory, ratios)
        try:
            walked = raw if name == RAW else walk(trajectory, arm, tally)
            arms[name] = judge.judge(name, walked, judge.found(arm, walked))
        finally:
            arm.close()
        if name == MODEL:
            ratios = _ratios(raw, walked, tally)
    return Run(
        id=trajectory.id,
        task=trajectory.task,
        source=trajectory.source,
        model=trajectory.model,
        arms=arms,
        recorded=recorded,
        host_prompt=trajectory.host_prompt,
        cached=sum(turn.recorded.cached for turn in trajectory.turns if turn.recorded),
        billed=sum(turn.recorded.dollars or 0.0 for turn in trajectory.turns if turn.recorded),
    )


def order(policies: Sequence[str]) -> list[str]:
    """Return the policies to run: raw first, and `agentctx` before the control that copies it."""
    names = [RAW, *(name for name in policies if name not in (RAW, CONTROL))]
    if CONTROL in policies:
        names += [MODEL] * (MODEL not in names) + [CONTROL]
    return list(dict.fromkeys(names))


def _raw(trajectory: Trajectory, tally: Tally) -> Walk:
    return walk(trajectory, find(RAW).start(trajectory, {}), tally)


def _recorded(trajectory: Trajectory, raw: Walk) -> tuple[tuple[int, int], ...]:
    pairs = zip(raw.calls, trajectory.turns, strict=False)
    return tuple((call.prompt, turn.recorded.prompt) for call, turn in pairs if turn.recorded)


def _scale(recorded: Sequence[tuple[int, int]]) -> float:
    """Return the provider's tokens for each that we count: the same for all arms of a run."""
    return ratio(sum(pair[1] for pair in recorded), sum(pair[0] for pair in recorded))


def _ratios(raw: Walk, ours: Walk, tally: Tally) -> dict[int, float]:
    """Return the share of each observation's tokens that is left."""
    sizes = ((tally.count(raw.last(i)), tally.count(ours.last(i))) for i in range(len(raw.shown)))
    return {i: after / before for i, (before, after) in enumerate(sizes) if before}
