"""The ways of cutting a run: what happens to the agent, and what its successor is told."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol

from agentctx.evals.remember.killed import FORKS, in_a_killed_process
from agentctx.evals.remember.life import Life
from agentctx.evals.remember.results import BUDGET, Cut, Told
from agentctx.evals.trajectory import Turn
from agentctx.memory.state.constraints import standing
from agentctx.memory.state.handoff import Receiver
from agentctx.tokens import Counter
from agentctx.values import Payload, ToolCall

_SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context. "
    "Summary: the agent has looked at the repository, changed some files and run some commands "
    "in {number} turns."
)
_REALLY = 0.15  # of the killed ones are processes that get a SIGKILL
_TAIL = 3  # exchanges that a host may keep at a compaction


class Way(Protocol):
    """One way of cutting."""

    def __call__(self, life: Life, turn: Turn, number: int) -> Cut:
        """Cut a life before its turn `number`, or while the call of that turn is in flight."""


def kill(life: Life, turn: Turn, number: int) -> Cut:
    """Drop the session without closing it, or kill a process that has it; the host comes back."""
    name = str(life.session.name)
    form = "dropped"
    if FORKS and life.random.random() < _REALLY:
        form = _killed(life, turn, number)
    begin = time.perf_counter()
    life.session = life.open(name)
    told = life.told(life.state(), life.rewritten())
    return _cut(life, number, "kill", form, told, begin)


def compaction(life: Life, turn: Turn, number: int) -> Cut:
    """Let the host replace its history by a summary, and go on in the same session."""
    form = life.random.choice(("summary", "opening", "tail"))
    life.begin(_compacted(life, form, number))
    return _sent(life, number, "compaction", form)


def resume(life: Life, turn: Turn, number: int, form: str = "") -> Cut:
    """Go on in a session of another name, with a fresh conversation."""
    form = form or life.random.choice(("closed", "dropped"))
    if form == "closed":
        life.session.close()
    life.session = life.open(f"{life.trajectory.id} {number}")
    asked = f"Go on where the work stands, please. ({number})"
    life.opening = [*life.system, {"role": "user", "content": asked}]
    life.begin(life.opening)
    life.truth.hear(asked)
    made = _sent(life, number, "resume", form)
    if life.truth.doing:
        life.host.answer(turn)  # it does again what had no result
    return made


def fork(life: Life, turn: Turn, number: int) -> Cut:
    """Ask a sub-agent, which gets a branch and a conversation of its own."""
    parent, host, truth = life.session, life.host, life.truth
    begin = time.perf_counter()
    asked = f"Find out who calls what turn {number} changed. ({number})"
    life.session = parent.fork(f"{parent.name} helper {number}", asked)
    try:
        with life.aside():
            life.begin([*life.system, {"role": "user", "content": asked}])
            life.truth = truth.copy()
            life.truth.hear(asked)
            made = _sent(life, number, "fork", "branch", begin)
            life.session.close()
            return made
    finally:
        life.session, life.host, life.truth = parent, host, truth


def handoff(life: Life, turn: Turn, number: int) -> Cut:
    """Tell another agent, which knows nothing and shares no folder, where the work stands.

    What was answered and holds no constraint is nothing that it needs.
    """
    count = Counter().count
    begin = time.perf_counter()
    truth = life.truth.copy()
    truth.said = [one for one in truth.said if not one.answered or standing(one.text)]
    truth.doing = life.truth.doing
    budget = sum(map(count, {one.text for one in truth.said})) + BUDGET
    found = life.session.handoff(Receiver(), budget)
    host = life.host
    with life.aside():
        life.begin([{"role": "user", "content": found.text or "(nothing)"}])
        request = life.host.request().payload
        broken = life.broken(request)
    life.host = host
    told = life.told(found.text, truth=truth)
    return _cut(life, number, "handoff", found.kind.value, told, begin, broken=broken)


WAYS: Mapping[str, Way] = {
    "kill": kill,
    "compaction": compaction,
    "resume": resume,
    "fork": fork,
    "handoff": handoff,
}


def _sent(life: Life, number: int, way: str, form: str, begin: float | None = None) -> Cut:
    """Send the next request and judge what its block tells."""
    begin = time.perf_counter() if begin is None else begin
    sent = life.send()
    seconds = time.perf_counter() - begin
    told = life.told(life.block(sent), sent)
    return _cut(life, number, way, form, told, begin, seconds=seconds, broken=life.broken(sent))


def _cut(
    life: Life,
    number: int,
    way: str,
    form: str,
    told: Told,
    begin: float,
    *,
    seconds: float | None = None,
    broken: int = 0,
) -> Cut:
    return Cut(
        run=life.trajectory.id,
        turn=number,
        way=way,
        form=form,
        in_flight=bool(life.truth.doing),
        told=told,
        broken=broken,
        seconds=time.perf_counter() - begin if seconds is None else seconds,
    )


def _compacted(life: Life, form: str, number: int) -> list[Payload]:
    """Return what a host keeps of its history: hosts do it in one of these forms."""
    messages = life.host.messages
    summary: Payload = {"role": "user", "content": _SUMMARY.format(number=number)}
    if form == "summary":
        life.opening = life.system
    said = [n for n, message in enumerate(messages) if message["role"] == "assistant"]
    tail = messages[said[-_TAIL] :] if form == "tail" and len(said) > 2 * _TAIL else []
    return [*life.opening, summary, *tail]


def _killed(life: Life, turn: Turn, number: int) -> str:
    """Let another process commit as this session, and kill it when that is acknowledged."""
    arguments = life.agent.commit(turn, number, life.truth)
    call = ToolCall(id="killed", name="context_commit", arguments=arguments)

    def work() -> bytes:
        life.session = life.open(str(life.session.name))
        return life.committed(call).encode()

    in_a_killed_process(work)
    life.agent.recorded(life.truth, arguments)
    life.commits += 1
    return "SIGKILL"
