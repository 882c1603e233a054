"""One call to a model through a session: whole or streamed, sync or async."""

from __future__ import annotations

from typing import Any

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
from agentctx.wrap.talk import Talk, active


class Way:
    """A session and what it put into the turns of its conversations."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.splices = Splices(session.stores)

    @property
    def open(self) -> bool:
        """Whether calls go through the session at all."""
        return active(self.session)

    def ask(self, wire: str, payload: Payload, call: Call, *, stream: bool) -> Any:
        """Return what the caller sees of the reply of `call` to a request, or of its stream."""
        talk = Talk(self.session, self.splices, wire, payload)
        if not stream:
            return run(rounds(talk), call)
        source = run(opening(talk), call)
        weaver = talk.dialect.weaver(talk.ours)
        return Stream(source, pump(relay(talk, weaver), call, source))

    async def aask(self, wire: str, payload: Payload, call: AsyncCall, *, stream: bool) -> Any:
        """Do as `ask`, awaiting the model and keeping our work off the event loop."""
        talk = Talk(self.session, self.splices, wire, payload)
        if not stream:
            return await arun(rounds(talk), call)
        source = await arun(opening(talk), call)
        weaver = talk.dialect.weaver(talk.ours)
        return AsyncStream(source, apump(relay(talk, weaver), call, source))
