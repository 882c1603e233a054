"""One call to a model through a session: whole or streamed, sync or async."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from typing import Any

from agentctx.options import Mode
from agentctx.session import Session
from agentctx.values import Payload
from agentctx.wrap.drive import (
    AsyncCall,
    Call,
    apump,
    arun,
    opening,
    pump,
    relay,
    rounds,
    run,
)
from agentctx.wrap.store import Splices
from agentctx.wrap.streams import AsyncStream, Stream
from agentctx.wrap.talk import Talk


class Way:
    """A session and what it put into the turns of its conversations."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.splices = Splices(session.stores)

    @property
    def open(self) -> bool:
        """Whether calls go through the session at all."""
        return self.session.settings.mode is not Mode.OFF

    def ask(self, wire: str, payload: Payload, call: Call) -> Any:
        """Return what the caller sees of the reply of `call` to a request, or of its stream."""
        talk = Talk(self.session, self.splices, wire, payload)
        reply = run(opening(talk), call)
        if inspect.isawaitable(reply):  # a plain function that hands out coroutines
            return self._later(talk, reply, call)
        if not hasattr(reply, "__next__"):
            return run(rounds(talk, reply), call)
        return Stream(reply, pump(relay(talk), call, reply))

    async def aask(self, wire: str, payload: Payload, call: AsyncCall) -> Any:
        """Do as `ask`, awaiting the model and keeping our work off the event loop."""
        talk = Talk(self.session, self.splices, wire, payload)
        return await self._go_on(talk, await arun(opening(talk), call), call)

    async def _later(self, talk: Talk, reply: Awaitable[Any], call: AsyncCall) -> Any:
        return await self._go_on(talk, await reply, call)

    async def _go_on(self, talk: Talk, reply: Any, call: AsyncCall) -> Any:
        if not hasattr(reply, "__anext__"):
            return await arun(rounds(talk, reply), call)
        return AsyncStream(reply, apump(relay(talk), call, reply))
