"""Every observation of a request, settled: replayed, decided now, or left as it was sent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from agentctx.conversation import ALONE, Conversation, Emitted, stands
from agentctx.decide import Case, as_it_came, decide, store_all
from agentctx.ledger import Decision
from agentctx.stores import Stores
from agentctx.terminal.command import label
from agentctx.terminal.window import Window
from agentctx.values import Observation, Path, Slot, content_id

_LONG_CALL = 120
_COMMANDS = ("command", "cmd", "script")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settler:
    """What it takes to settle the observations of one request.

    `new` are the paths of those that were never sent; `way` is how the model expands a handle,
    None when it cannot; `count` counts tokens; `spare` are the tokens that the whole request may
    lose (see `Case`).
    """

    conversation: Conversation
    stores: Stores
    way: str | None
    count: Callable[[str], int]
    new: Collection[Path] = ()
    spare: float = inf

    def settle(self, slots: Sequence[Slot]) -> list[Emitted]:
        """Return what the model sees of each observation, in order."""
        names = {slot.path: content_id(slot.text) for slot in slots}
        keys = [(slot.call_id, names[slot.path]) for slot in slots]
        self.conversation.load(self.stores, [*keys, *((c + ALONE, n) for c, n in keys)])
        self._leave_old(slots, keys)
        seen: list[Emitted] = []
        for slot, key in zip(slots, keys, strict=True):
            decision = self._one(slot, key, seen)
            seen.append(emit(decision, observation(slot), name(slot), written(slot)))
        return seen

    def arrive(self, came: Observation, call_id: str, live: Sequence[str] | None) -> Decision:
        """Return the decision about one result that has just come in (see `Session.observe`)."""
        conversation = self.conversation
        conversation.recall(self.stores)
        key = (call_id or f"#{len(conversation.arrived)}", content_id(came.output))
        seen = conversation.seen(live)
        decision = conversation.known.get(key)
        if decision and live is not None and not stands(decision, seen):
            key, seen = (key[0] + ALONE, key[1]), []  # the same result in another history
            decision = conversation.known.get(key)
        if decision is None:
            window = conversation.window(seen, wrote(came.command))
            decision = conversation.known[key] = decide(
                Case(
                    session=conversation.session,
                    call_id=key[0],
                    observation=came,
                    window=window,
                    way=self.way,
                    count=self.count,
                ),
                self.stores,
            )
            name = label(came.command, came.tool)
            conversation.arrived.append(emit(decision, came, name, wrote(came.command)))
        return decision

    def _leave_old(self, slots: Sequence[Slot], keys: Sequence[tuple[str, str]]) -> None:
        """Settle at once what was sent before we came: it stays as it is."""
        known = self.conversation.known
        old = {
            key: as_it_came(self.conversation.session, slot.call_id, slot.text)
            for slot, key in zip(slots, keys, strict=True)
            if key not in known and slot.path not in self.new
        }
        for decision in store_all(list(old.values()), self.stores):
            known[decision.key] = decision

    def _one(self, slot: Slot, key: tuple[str, str], seen: Sequence[Emitted]) -> Decision:
        known = self.conversation.known
        if key not in known:
            window = self.conversation.window(seen, written(slot))
            known[key] = self._decide(slot, key[0], window, seen)
        decision = known[key]
        if not stands(decision, seen):  # the host dropped what it refers to: the prefix has moved
            alone = (key[0] + ALONE, key[1])
            if alone not in known:
                known[alone] = self._decide(slot, alone[0], Window(), seen)
            decision = known[alone]
        if decision.handle and self.way is None:
            return as_it_came(decision.session, slot.call_id, slot.text)
        return decision

    def _decide(
        self, slot: Slot, call_id: str, window: Window, seen: Sequence[Emitted]
    ) -> Decision:
        session = self.conversation.session
        if self.stores.emitted(slot.text):  # `observe` has settled this one
            return as_it_came(session, call_id, slot.text)
        case = Case(
            session=session,
            call_id=call_id,
            observation=observation(slot),
            window=window,
            way=self.way,
            count=self.count,
            spare=self.spare - sum(one.saved for one in seen),
        )
        return decide(case, self.stores)


def emit(decision: Decision, came: Observation, label: str, call: str = "") -> Emitted:
    """Return an observation as the model sees it after a decision."""
    text = came.output if decision.text is None else decision.text
    return Emitted(decision=decision, text=text, label=label, call=call)


def observation(slot: Slot) -> Observation:
    """Return the tool result that a slot holds."""
    return Observation(output=slot.text, command=_command(slot.arguments or {}), tool=slot.tool)


def name(slot: Slot) -> str:
    """Return a few words by which the model recognises a tool result."""
    arguments = slot.arguments or {}
    if command := _command(arguments):
        return label(command)
    first = next((value for value in arguments.values() if isinstance(value, str)), "")
    return label(f"{slot.tool} {first}")


def written(slot: Slot) -> str:
    """Return what the model wrote in the call that a tool result answers."""
    arguments = slot.arguments or {}
    return wrote("\n".join(text for text in arguments.values() if isinstance(text, str)))


def wrote(text: str) -> str:
    """Return the text of a call if it is long enough for a tool to show parts of it again."""
    return text if len(text) >= _LONG_CALL else ""


def _command(arguments: Mapping[str, Any]) -> str:
    """Return the shell command in the arguments of a call, if there is one."""
    for key in _COMMANDS:
        value = arguments.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return " ".join(value)
    return ""
