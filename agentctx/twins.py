"""The methods of a session that wait for disk or CPU, as coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from agentctx.values import Observation, Payload, Reduction, ToolCall, Usage


class Plain(Protocol):
    """The methods that have a twin."""

    def rewrite(self, payload: Payload, *, wire: str | None = None, cold: bool = False) -> Payload:
        """Return what to send instead of a request."""

    def observe(
        self, observation: Observation, *, call_id: str = "", live: Sequence[str] | None = None
    ) -> Reduction:
        """Return what the model should see of a tool's result."""

    def record(
        self,
        usage: Usage,
        *,
        model: str = "",
        sent: Payload | None = None,
        wire: str | None = None,
    ) -> None:
        """Note what a model call cost."""

    def handle(self, call: ToolCall) -> str | None:
        """Return the answer to a call of one of our tools."""

    def close(self) -> None:
        """Commit what is left."""


class Twins:
    """Each does as the method without the `a`, off the event loop."""

    async def arewrite(
        self: Plain, payload: Payload, *, wire: str | None = None, cold: bool = False
    ) -> Payload:
        """Do as `rewrite`, off the event loop."""
        return await asyncio.to_thread(self.rewrite, payload, wire=wire, cold=cold)

    async def aobserve(
        self: Plain,
        observation: Observation,
        *,
        call_id: str = "",
        live: Sequence[str] | None = None,
    ) -> Reduction:
        """Do as `observe`, off the event loop."""
        return await asyncio.to_thread(self.observe, observation, call_id=call_id, live=live)

    async def arecord(
        self: Plain,
        usage: Usage,
        *,
        model: str = "",
        sent: Payload | None = None,
        wire: str | None = None,
    ) -> None:
        """Do as `record`, off the event loop."""
        await asyncio.to_thread(self.record, usage, model=model, sent=sent, wire=wire)

    async def ahandle(self: Plain, call: ToolCall) -> str | None:
        """Do as `handle`, off the event loop."""
        return await asyncio.to_thread(self.handle, call)

    async def aclose(self: Plain) -> None:
        """Do as `close`, off the event loop."""
        await asyncio.to_thread(self.close)
