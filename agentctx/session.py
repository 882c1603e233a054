"""Session: the one stateful object between an agent loop and its model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from agentctx import checked, config
from agentctx import wire as formats
from agentctx.answering import Answering
from agentctx.conversation import Conversation
from agentctx.decide import reduction, unchanged
from agentctx.errors import MemoryStoreError, RedactionError
from agentctx.evolve.learner import Learner
from agentctx.gauges import Gauges
from agentctx.options import Mode, Remember
from agentctx.recent import Recent
from agentctx.settle import Settler, unreduced, written
from agentctx.slots import of_tool
from agentctx.stores import Stores
from agentctx.tools import COMMIT, EXPAND
from agentctx.twins import twin
from agentctx.values import (
    Observation,
    Payload,
    Reduction,
    Usage,
)

if TYPE_CHECKING:
    from agentctx.secrets import Redactor

_TOOL_WAY = "expand {handle}"
_CONVERSATIONS = 256


class Session(Answering):
    """Decides what the model sees of each observation, once, and replays it ever after.

    One session serves one conversation when it has a `name`; without one, `rewrite` recognises
    each conversation by what stands before its first assistant turn. All methods may be called
    from several threads, and several processes may share a data folder.

    With memory (see `Settings.memory`) it also takes down what is said and done, on the branch that
    it stands on. A later session in the same data folder, under any name, is told where the work
    stands. Used in a `with`, or closed with `close`, it commits what is left at the end; without
    that nothing is lost either: the steps stay in the journal, and the next record seals them.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        data: Path | str | None = None,
        settings: config.Settings | None = None,
        redactor: Redactor | None = None,
        expand_hint: str | None = None,
        count: Callable[[str], int] | None = None,
        memory: Remember | str | None = None,
    ) -> None:
        """Open a session; nothing is read or written before it is used.

        Args:
            name: names the conversation; give the same name to go on after a restart.
            data: the data folder; the default is that of the settings.
            settings: the default is what `agentctx.toml` and the environment say.
            redactor: takes secrets out; the default is the one that ships.
            expand_hint: how the model gets hidden lines back when not by the `expand` tool of the
                request, such as "agentctx expand {handle}" in a shell.
            count: counts the tokens of a text; the default is the model's tokenizer, calibrated.
            memory: "off", "log" or "on", instead of what the settings say.

        Raises:
            ConfigError: the settings or the hint cannot be used.
        """
        chosen = checked.memory(settings or config.load(), memory)
        self.settings = replace(chosen, data=Path(data)) if data is not None else chosen
        self.name = name
        self.stores = Stores(self.settings, redactor)
        self._hint = checked.hint(expand_hint)
        self._own = name or f"session-{uuid4().hex[:12]}"
        self._offered = self._commits = False
        self.learner = Learner(self.stores, self._own)
        self._conversations: Recent[Conversation] = Recent(_CONVERSATIONS)
        self._gauges = Gauges(self.settings, count)

    def named(self, name: str, *, expand_hint: str | None = None) -> Session:
        """Return the session of that name in the same data folder, with the same settings."""
        other = Session(name, settings=self.settings, expand_hint=expand_hint or self._hint)
        other.stores, other._gauges = self.stores, self._gauges
        other.learner = Learner(self.stores, other._own)
        return other

    def rewrite(self, payload: Payload, *, wire: str | None = None, cold: bool = False) -> Payload:
        """Return what to send instead of a request: the same object when nothing changes.

        Observations after the last assistant message are decided now; earlier ones are replayed,
        or were already sent as they came and stay so.

        Args:
            payload: the request body, in the format of its provider.
            wire: "openai_chat", "openai_responses" or "anthropic"; the default is to look.
            cold: the provider's cache has expired: earlier observations that are met for the first
                time may be decided, too.

        Raises:
            RedactionError: secrets could not be removed; do not send the request.
            MemoryStoreError: memory is on, and could not be written.
        """
        if self.settings.mode is Mode.OFF:
            return payload
        try:
            return self._rewrite(payload, wire, cold)
        except (RedactionError, MemoryStoreError):
            raise
        except Exception as error:  # law 7: what the caller wanted to send goes out
            self.stores.tell("rewrite-failed", self._own, error=str(error)[:500])
            if self.settings.mode is Mode.METER:
                return payload
            return unreduced(payload, wire, self.stores.redactor.redact)

    def observe(
        self,
        observation: Observation,
        *,
        call_id: str = "",
        live: Sequence[str] | None = None,
    ) -> Reduction:
        """Return what the model should see of a tool's result; decided once.

        Args:
            observation: the result as the host received it.
            call_id: names the tool call; without one, each result counts as a new call.
            live: the call ids of the results that will stand before this one, oldest first, also
                those that were never observed, since references count them; the default is all
                of this session.

        Raises:
            RedactionError: secrets could not be removed; do not show the result.
            MemoryStoreError: memory is on, and could not be written.
            ToolError: the observation holds something else than text.
        """
        checked.text(observation)
        if self.settings.mode is Mode.OFF:
            return Reduction(text=observation.output)
        conversation = self._conversation(self._own)
        with conversation.lock:
            settler = Settler(
                conversation=conversation,
                stores=self.stores,
                way=self._way(self._offered),
                count=self._gauges.count(None),
                remind=self.notebook.reminder() if self._commits else None,
            )
            decision = settler.arrive(observation, call_id, live)
            self.learner.came(observation)
            if self.remembers:
                shown = reduction(decision, observation).text
                self.notebook.observe(observation, decision.call_id, shown)
        if self.settings.mode is Mode.METER:
            return unchanged(observation, decision.tokens_before)
        return reduction(decision, observation)

    def record(
        self,
        usage: Usage,
        *,
        model: str = "",
        sent: Payload | None = None,
        wire: str | None = None,
    ) -> None:
        """Note what a model call cost; with the request that was sent, calibrate the counts."""
        key = self._own
        try:
            if sent is not None:
                slots, _ = self.bare(formats.of(sent, wire).read(sent))
                key = self.name or formats.prefix_key(slots)
                self._gauges.calibrate(model, [slot.text for slot in slots], usage)
            self.stores.ledger.record(usage, session=key, model=model)
        except Exception as error:  # law 7: what cannot be counted stops nobody
            self.stores.tell("record-failed", key, error=str(error)[:500])

    arewrite, aobserve, arecord = twin(rewrite), twin(observe), twin(record)

    def _rewrite(self, payload: Payload, name: str | None, cold: bool) -> Payload:
        module = formats.of(payload, name)
        slots, there = self.bare(module.read(payload))
        found = list(filter(of_tool, slots))
        conversation = self._conversation(self.name or formats.prefix_key(slots))
        tools = module.tool_names(payload)
        self._offered = self._offered or EXPAND.name in tools
        self._commits = self.remembers and COMMIT in tools
        way = self._way(EXPAND.name in tools)
        with conversation.lock:
            page = self.page(conversation.session, module, payload, slots, there)
            settler = Settler(
                conversation=conversation,
                stores=self.stores,
                new={slot.path for slot in (found if cold else formats.fresh(slots))},
                way=way,
                whole=way is None and (bool(tools) or not self._offered),
                count=self._gauges.count(payload.get("model")),
                spare=self._gauges.spare(payload.get("model"), [slot.text for slot in slots]),
                remind=page.remind if page else None,
            )
            emitted = settler.settle(found)
            if page:
                page.take(emitted)
        self.learner.saw(conversation.session, slots)
        if self.settings.mode is Mode.METER:
            return payload
        sent = written(module, payload, found, emitted)
        if page:
            sent = page.show(sent)
        return checked.valid(module, payload, sent) if self.settings.debug else sent

    def _conversation(self, session: str) -> Conversation:
        return self._conversations.get(session, lambda: Conversation(session))

    def _way(self, offered: bool) -> str | None:
        """Return how the model expands a handle, if it can at all; to measure, it always can."""
        able = offered or self.settings.mode is Mode.METER
        return self._hint or (_TOOL_WAY if able else None)
