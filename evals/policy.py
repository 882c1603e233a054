"""What stands between the host and the model in a replay, found by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

from agentctx.errors import ConfigError
from agentctx.evals.host import Request
from agentctx.evals.trajectory import Trajectory, Turn
from agentctx.values import Payload

POLICIES: dict[str, str] = {
    "raw": "agentctx.evals.controls:Raw",
    "host-cap": "agentctx.evals.controls:HostCap",
    "mask": "agentctx.evals.controls:Mask",
    "lossless": "agentctx.evals.ours:Lossless",
    "agentctx": "agentctx.evals.ours:Agentctx",
    "random": "agentctx.evals.controls:Random",
}
"""Order of a report's rows; `random` stands after the policy whose ratio it copies."""


class Arm(Protocol):
    """A policy at work on one run."""

    def standing(self) -> str:
        """Return the text that this policy adds to every request outside the messages."""
        ...

    def arrive(self, turn: Turn) -> str:
        """Return what a host without native tools stores for a result."""
        ...

    def send(self, request: Request) -> Payload:
        """Return what goes to the model instead of the request's payload."""
        ...

    def original(self, text: str) -> str:
        """Return the text that an expanded handle must give back (secrets removed)."""
        ...

    def expand(self, handle: str) -> str | None:
        """Return what the handle stands for, None when nothing has it."""
        ...

    def close(self) -> None:
        """Release what the arm holds."""
        ...


class Policy(Protocol):
    """A way to decide what the model sees."""

    def start(self, trajectory: Trajectory, ratios: Mapping[int, float]) -> Arm:
        """Return an arm for one run.

        Args:
            trajectory: the run.
            ratios: for each observation, the share of its tokens that `agentctx` kept.
        """
        ...


def find(name: str) -> Policy:
    """Return the policy of that name, or the one at a dotted path `package.module:Class`.

    Raises:
        ConfigError: there is none.
    """
    path = POLICIES.get(name, name)
    module, _, attribute = path.partition(":")
    try:
        policy: Policy = getattr(import_module(module), attribute)()
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        known = ", ".join(POLICIES)
        raise ConfigError(f"no policy {name!r} ({error}): choose {known} or module:Class") from None
    return policy
