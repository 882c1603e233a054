"""One run replayed under one policy, turn by turn."""

from __future__ import annotations

import resource
import sys
import time
from array import array
from dataclasses import dataclass
from pathlib import Path

from agentctx.evals.host import Host, canonical
from agentctx.evals.meter import Call, Meter, Tally
from agentctx.evals.policy import Arm
from agentctx.evals.trajectory import Trajectory, Turn

EVERY = 16
"""Turns between two looks at the memory."""

_STATM = Path("/proc/self/statm")


@dataclass(frozen=True, slots=True)
class Walk:
    """What a policy did on a run.

    `shown` holds for each observation the (call, text) pairs from which call on the model saw
    which text; `moved` counts requests whose prefix moved, `touched` messages of the host that
    were changed in place. `seconds` is what the policy took for each turn, `memory` the largest
    resident size of the process in bytes.
    """

    calls: tuple[Call, ...]
    shown: tuple[tuple[tuple[int, str], ...], ...]
    moved: int
    touched: int
    seconds: array[float]
    memory: int

    def at(self, number: int, call: int) -> str:
        """Return what call `call` showed of an observation."""
        texts = [text for since, text in self.shown[number] if since <= call]
        return texts[-1] if texts else ""

    def last(self, number: int) -> str:
        """Return what the last request showed of an observation."""
        return self.shown[number][-1][1]


def walk(trajectory: Trajectory, arm: Arm, tally: Tally) -> Walk:
    """Replay a run: what the policy saves and loses is measured elsewhere.

    A run with native tools gets one more call at its end, in which the model sees the last
    result; the other format's recordings end with the last call.
    """
    host, meter = Host(trajectory), Meter(tally, arm.standing())
    seconds, memory = array("d"), 0
    for number, turn in enumerate(trajectory.turns):
        spent = _send(host, arm, meter, _output(turn, tally))
        host.answer(turn)
        spent += _receive(host, arm, turn)
        seconds.append(spent)
        if number % EVERY == 0:
            memory = max(memory, _resident())
    if host.native and trajectory.turns:
        seconds.append(_send(host, arm, meter, 0))
    memory = max(memory, _resident())
    shown = tuple(tuple(texts) for texts in meter.shown)
    return Walk(tuple(meter.calls), shown, meter.moved, host.touched(), seconds, memory)


def _send(host: Host, arm: Arm, meter: Meter, output: int) -> float:
    request = host.request()
    begin = time.perf_counter()
    sent = arm.send(request)
    spent = time.perf_counter() - begin
    meter.measure(sent, request, output)
    return spent


def _receive(host: Host, arm: Arm, turn: Turn) -> float:
    if not turn.seen:
        if turn.note:
            host.note(turn.note)
        return 0.0
    begin = time.perf_counter()
    text = turn.seen.text if host.native else arm.arrive(turn)
    spent = time.perf_counter() - begin
    host.observe(turn, text)
    return spent


def _output(turn: Turn, tally: Tally) -> int:
    """Return the tokens of the model's answer: the recorded number, else those of its text."""
    if turn.recorded:
        return turn.recorded.completion
    call = canonical(dict(turn.call.arguments)) if turn.call else ""
    return tally.count(turn.text) + tally.count(call)


def _resident() -> int:
    """Return the resident size of this process in bytes (its peak where there is no /proc)."""
    try:
        return int(_STATM.read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
