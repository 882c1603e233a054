"""Fakes that ship: real values and a real loopback server, so that no test needs a mock."""

from agentctx.testing.clock import FixedClock
from agentctx.testing.script import Fault, Reply, ScriptedModel, Thinking, call
from agentctx.testing.upstream import FakeUpstream, Received

__all__ = [
    "FakeUpstream",
    "Fault",
    "FixedClock",
    "Received",
    "Reply",
    "ScriptedModel",
    "Thinking",
    "call",
]
