"""Trail: a conversation as steps: what the agent said and did, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from agentctx.diary import Seen
from agentctx.errors import ArchiveError
from agentctx.learn.case import AHEAD, Case, Step, cases
from agentctx.slots import observation, of_tool
from agentctx.stores import Stores
from agentctx.terminal.command import Output, classify
from agentctx.terminal.marker import handles
from agentctx.values import Kind, Observation, Slot

LEAST = 1_000
"""Characters; shorter outputs teach nothing."""


@dataclass(frozen=True, slots=True)
class Trail:
    """What stands before the first step, and the steps."""

    opening: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


def of_slots(slots: Sequence[Slot]) -> Trail:
    """Return the trail of a conversation as its request shows it."""
    opening: list[str] = []
    said: list[str] = []
    steps: list[Step] = []
    for slot in slots:
        if of_tool(slot):
            steps.append(Step(said="\n".join(said), observation=observation(slot)))
            said = []
        elif slot.kind is Kind.ASSISTANT or slot.kind is Kind.TOOL_CALL:
            said += [slot.text, *map(str, (slot.arguments or {}).values())]
        elif not steps:
            opening.append(slot.text)
    return Trail(tuple(opening), (*steps, Step(said="\n".join(said))))


def remember(trail: Trail, task: str, stores: Stores, since: int = 0) -> int:
    """Keep the outputs of a trail from which rules can be learnt; return how many.

    Secrets are taken out of all that is kept. The originals go into the archive.

    Args:
        trail: the conversation.
        task: names it.
        stores: where they are kept.
        since: how many results were remembered before; of the last of them, what was used is known
            only now.

    Raises:
        AgentctxError: something could not be kept.
    """
    steps = [_whole(step, stores) for step in trail.steps]
    new = islice(cases(task, trail.opening, steps), max(0, since - AHEAD), None)
    found = [_kept(case, stores) for case in new if _teaches(case)]
    if found:
        stores.diary.see(found)
    return len(found)


def remembered(stores: Stores) -> Iterator[Case]:
    """Yield the outputs that were kept, oldest first; those that the archive has given up are gone."""
    for seen in stores.diary.seen():
        if stores.archive.contains(seen.name):
            output = stores.archive.read(seen.name).decode("utf-8", "surrogatepass")
            yield _case(seen, output)


def _whole(step: Step, stores: Stores) -> Step:
    """Return a step with the original of its result, where the host sends back what we showed."""
    seen = step.observation
    if seen is None or not (found := handles(seen.output)):
        return step
    try:
        raw = stores.archive.read(stores.resolve(found[0]))
    except ArchiveError:  # the size cap has removed it: what is left of it teaches little
        return replace(step, observation=replace(seen, output=""))
    return replace(step, observation=replace(seen, output=raw.decode("utf-8", "surrogatepass")))


def _teaches(case: Case) -> bool:
    seen = case.observation
    return len(seen.output) >= LEAST and classify(seen.command, seen.tool) is Output.RUN


def _kept(case: Case, stores: Stores) -> Seen:
    redact: Callable[[str], str] = stores.redactor.redact
    output, command = redact(case.observation.output), redact(case.observation.command)
    name = stores.archive.put(output.encode("utf-8", "surrogatepass"), command=command)
    return Seen(
        name=name,
        task=case.task,
        command=command,
        tool=case.observation.tool,
        exit_code=case.observation.exit_code,
        used=tuple(used for used in case.used if used in output),
    )


def _case(seen: Seen, output: str) -> Case:
    shown = Observation(
        output=output, command=seen.command, exit_code=seen.exit_code, tool=seen.tool
    )
    return Case(observation=shown, task=seen.task, used=seen.used)
