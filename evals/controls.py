"""The policies that agentctx is compared with."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from agentctx.evals.host import Place, Request, replaced, shown
from agentctx.evals.policy import Arm
from agentctx.evals.trajectory import Trajectory, Turn
from agentctx.values import Payload


class Plain:
    """An arm that sends what it is given and keeps nothing."""

    def standing(self) -> str:
        """Add nothing."""
        return ""

    def arrive(self, turn: Turn) -> str:
        """Hand the result on as it is."""
        return turn.seen.text if turn.seen else ""

    def send(self, request: Request) -> Payload:
        """Send the host's payload."""
        return request.payload

    def original(self, text: str) -> str:
        """Remove nothing."""
        return text

    def expand(self, handle: str) -> str | None:
        """Know no handle."""
        return None

    def close(self) -> None:
        """Hold nothing."""


class Raw:
    """Send everything."""

    def start(self, trajectory: Trajectory, ratios: Mapping[int, float]) -> Arm:
        """Return an arm that changes nothing."""
        return Plain()


@dataclass
class AtArrival(Plain):
    """An arm that decides about an observation once and replays the decision."""

    decided: dict[int, Payload] = field(default_factory=dict)

    def decide(self, number: int, text: str) -> str:
        """Return what stands for observation `number`."""
        raise NotImplementedError

    def send(self, request: Request) -> Payload:
        """Put the decided texts in the places of the raw ones."""
        messages = list(request.payload["messages"])
        for place in request.places:
            if place.number not in self.decided:
                raw = shown(messages[place.message], place)
                text = self.decide(place.number, raw)
                self.decided[place.number] = replaced(messages[place.message], place, text)
            messages[place.message] = self.decided[place.number]
        return {**request.payload, "messages": messages}


@dataclass
class Capped(AtArrival):
    """Keeps the first and the last `half` characters."""

    half: int = 5_000
    already: frozenset[int] = frozenset()

    def decide(self, number: int, text: str) -> str:
        """Cut the middle out of a text that the host has not cut before."""
        hidden = len(text) - 2 * self.half
        if hidden <= 0 or number in self.already:
            return text
        head, tail = text[: self.half], text[-self.half :]
        return f"{head}\n[{hidden} characters elided]\n{tail}"


class HostCap:
    """Cut outputs over 10,000 characters in the middle, as mini-swe-agent does by itself."""

    def start(self, trajectory: Trajectory, ratios: Mapping[int, float]) -> Arm:
        """Return an arm that leaves alone what the recorded host had cut already."""
        seen = [turn.seen for turn in trajectory.turns if turn.seen]
        return Capped(already=frozenset(i for i, s in enumerate(seen) if s.cut))


@dataclass
class Masked(Plain):
    """Shows only the last `keep` observations; the prefix moves at every turn."""

    keep: int = 10
    words: str = "[old output omitted]"
    masked: dict[int, Payload] = field(default_factory=dict)

    def send(self, request: Request) -> Payload:
        """Replace all but the last observations, unless they are shorter than the replacement."""
        messages = list(request.payload["messages"])
        for place in request.places[: -self.keep]:
            if place.number not in self.masked:
                self.masked[place.number] = self._mask(messages[place.message], place)
            messages[place.message] = self.masked[place.number]
        return {**request.payload, "messages": messages}

    def _mask(self, message: Payload, place: Place) -> Payload:
        if len(shown(message, place)) <= len(self.words):
            return message
        return replaced(message, place, self.words)


class Mask:
    """Show the last ten observations and replace older ones (JetBrains, arXiv 2508.21433)."""

    def start(self, trajectory: Trajectory, ratios: Mapping[int, float]) -> Arm:
        """Return an arm that masks at every turn."""
        return Masked()


@dataclass
class Deleted(AtArrival):
    """Deletes lines at random until about the share `ratios` of an observation is left."""

    seed: str = ""
    ratios: Mapping[int, float] = field(default_factory=dict)

    def decide(self, number: int, text: str) -> str:
        """Delete as much of observation `number` as the other policy hid."""
        surplus = len(text) * (1 - self.ratios.get(number, 1.0))
        lines = text.split("\n")
        order = list(range(len(lines)))
        random.Random(f"{self.seed}/{number}").shuffle(order)  # noqa: S311 - a control, no secret
        gone: set[int] = set()
        for i in order:
            if len(lines[i]) < surplus:
                surplus -= len(lines[i]) + 1
                gone.add(i)
        return "\n".join(line for i, line in enumerate(lines) if i not in gone)


class Random:
    """Control: delete random lines, from each observation as much as `agentctx` hides."""

    def start(self, trajectory: Trajectory, ratios: Mapping[int, float]) -> Arm:
        """Return an arm seeded with the run's id."""
        return Deleted(seed=trajectory.id, ratios=ratios)
