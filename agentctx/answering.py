"""The half of a session that answers the model: its tools, and what it asks for again."""

from __future__ import annotations

from agentctx import wire as formats
from agentctx.conversation import ALONE, Conversation
from agentctx.errors import AgentctxError
from agentctx.events import EXPAND as EXPANDED
from agentctx.evolve.feedback import FULL, Feedback
from agentctx.options import Mode
from agentctx.remembering import Remembering
from agentctx.tools import expand, owns, parse, specs
from agentctx.twins import twin
from agentctx.values import Payload, ToolCall, ToolSpec


class Answering(Remembering):
    """What a session offers to the model, and gives it back."""

    def tools(self) -> tuple[ToolSpec, ...]:
        """Return the tools to offer to the model, from the first request on."""
        return specs(self.settings.memory)

    def offer(self, payload: Payload, *, wire: str | None = None) -> Payload:
        """Return the request with our tools at the end of its tools, if it has any tools.

        In the modes that edit nothing it is the same object.
        """
        if self.settings.mode in (Mode.OFF, Mode.METER):
            return payload
        return formats.of(payload, wire).add_tools(payload, self.tools())

    def handle(self, call: ToolCall) -> str | None:
        """Return the answer to a call of one of our tools; None when it is the host's."""
        if self._is_memorys(call):
            return self.notebook.answer(call)
        if not owns(call):
            return None
        try:
            request = parse(call.arguments)
            name = self.stores.resolve(request.handle)
            answer = expand(self.stores.archive, request, name)
        except AgentctxError as error:
            return f"error: {error}"
        self.stores.tell(EXPANDED, self._own, handle=request.handle)
        Feedback(self.stores).expanded(request.handle, name, request.span, request.pattern)
        return answer

    def need_full_output(self, call_id: str = "") -> str:
        """Return the original of the last reduced result, or of one call, and note the complaint.

        For hosts whose model asks for it in words, as TACO's do; rules that had hidden some of it
        are not used for such commands for now. "" when nothing was hidden.

        Raises:
            ArchiveError: it cannot be read.
        """
        conversation = self._conversation(self._own)
        with conversation.lock:
            for one in reversed(conversation.arrived):
                decision = one.decision
                if decision.handle and call_id in ("", decision.call_id.removesuffix(ALONE)):
                    name = self.stores.resolve(decision.handle)
                    Feedback(self.stores).came_back(FULL, decision, self._own)
                    return self.stores.archive.read(name).decode("utf-8", "surrogatepass")
        return ""

    ahandle = twin(handle)

    def _conversation(self, session: str) -> Conversation:
        """Return what one conversation has been shown."""
        raise NotImplementedError
