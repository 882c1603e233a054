"""The half of a session that is about memory: its branch, its forks, what others are told, its end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

from agentctx import checked
from agentctx.config import Settings
from agentctx.evolve.learner import Learner
from agentctx.gauges import Gauges
from agentctx.options import Mode, Remember
from agentctx.slots import spoken
from agentctx.stores import Stores
from agentctx.tools import EXPAND, names
from agentctx.twins import twin
from agentctx.values import Kind, Payload, Slot, ToolCall
from agentctx.wire import Wire

if TYPE_CHECKING:
    from agentctx.memory.memory import Memory
    from agentctx.memory.state.handoff import Handoff, Receiver
    from agentctx.notes import Notebook
    from agentctx.notes.page import Page

_NO_NAME = re.compile(r"[^a-z0-9._-]+")


class Remembering:
    """What a session offers while memory is on, or logs."""

    settings: Settings
    name: str | None
    stores: Stores
    learner: Learner
    _own: str
    _gauges: Gauges

    @property
    def remembers(self) -> bool:
        """Whether anything is taken down."""
        return self.settings.memory is not Remember.OFF and self.settings.mode is not Mode.OFF

    @property
    def memory(self) -> Memory:
        """The memory in the data folder, on the branch that this session stands on."""
        return self.notebook.memory

    @cached_property
    def notebook(self) -> Notebook:
        """What takes things down, shows and records them."""
        from agentctx.notes import Notebook

        count = self._gauges.count(None)
        return Notebook(self.stores, self._own, named=self.name is not None, count=count)

    def named(self, name: str, *, expand_hint: str | None = None) -> Self:
        """Return the session of that name in the same data folder, with the same settings."""
        raise NotImplementedError

    def fork(self, name: str, purpose: str, *, branch: str = "") -> Self:
        """Return a session for a sub-agent, on a branch of its own that begins where this one stands.

        What was done here since the newest record is committed first, so that the sub-agent knows
        of it, the user's words included. One that was forked before goes on where it stood.

        Args:
            name: names the session.
            purpose: what the sub-agent is to find out or do.
            branch: names its branch; the default is made of `name`.

        Raises:
            ConfigError: memory is off.
            MemoryStoreError: the branch cannot be made.
        """
        checked.remembers(on=self.remembers)
        other = self.named(name)
        other.notebook.begin(self.notebook, branch or _branch(name), purpose)
        return other

    def handoff(self, to: Receiver, budget: int) -> Handoff:
        """Return what another agent is to be told of where the work stands: nothing, or a text.

        Args:
            to: who takes over, and what they know.
            budget: tokens of all that is sent.

        Raises:
            MemoryStoreError: memory cannot be read.
        """
        from agentctx.memory.state.handoff import handoff

        memory, count = self.memory, self._gauges.count(None)
        return handoff(memory.state(), to, budget, count=count, steps=memory.live())

    def answered(self, text: str) -> None:
        """Note the model's last word on a request, where nobody sends it back in a history.

        Raises:
            MemoryStoreError: it cannot be written.
        """
        if self.remembers and text.strip():
            self.notebook.answered(text)

    def replied(self, slots: Sequence[Slot]) -> None:
        """Note what a reply of the model's holds: calls in flight, or its last word on a request.

        Raises:
            MemoryStoreError: it cannot be written.
        """
        if not self.remembers:
            return
        if any(slot.kind is Kind.TOOL_CALL for slot in slots):
            self.notebook.called(slots)
        else:
            self.answered(spoken(slots))

    def close(self) -> None:
        """Commit what was done since the newest record, and let rules evolve if they may.

        The session may be used again afterwards.

        Raises:
            MemoryStoreError: it cannot be written; the steps stay in the journal.
        """
        self.learner.close()
        if self.remembers:
            self.notebook.close()

    aanswered, aclose = twin(answered), twin(close)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close."""
        self.close()

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(self, *raised: object) -> None:
        """Close, off the event loop."""
        await self.aclose()

    def bare(self, slots: Sequence[Slot]) -> tuple[Sequence[Slot], str]:
        """Return the slots of a request without a block of ours, and that block."""
        return self.notebook.bare(slots) if self.remembers else (slots, "")

    def page(
        self, key: str, module: Wire, payload: Payload, slots: Sequence[Slot], there: str
    ) -> Page | None:
        """Return a request as memory sees it; None when it is none of an agent's.

        Without a name to go by, requests that offer and hold no tools are taken for something that
        a host asks on the side, such as a title.
        """
        if not self.remembers:
            return None
        calls = any(slot.kind is Kind.TOOL_CALL for slot in slots)
        if self.name is None and not calls and not module.tool_names(payload):
            return None
        return self.notebook.page(key, module, payload, slots, there)

    def _is_memorys(self, call: ToolCall) -> bool:
        """Tell whether a call is for a tool of memory's, and not for a namesake of the host's."""
        ours = names(self.settings.memory) - {EXPAND.name}
        return self.remembers and call.name in ours and isinstance(call.arguments, Mapping)


def _branch(name: str) -> str:
    """Return a name for the branch of a session."""
    return _NO_NAME.sub("-", name.lower()).strip("-._")[:60] or "fork"
