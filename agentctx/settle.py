"""Every observation of a request, settled: replayed, decided now, or left as it was sent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from agentctx import wire as formats
from agentctx.conversation import ALONE, Conversation, Emitted, blank, stands
from agentctx.decide import Case, as_it_came, decide, reduction, store_all
from agentctx.evolve.feedback import Feedback
from agentctx.ledger import Decision, Key
from agentctx.slots import called, editable, observation, result, title, wrote
from agentctx.stores import Stores
from agentctx.terminal.window import Window
from agentctx.values import Edit, Observation, Path, Payload, Slot, Text, content_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Settler:
    """What it takes to settle the observations of one request.

    `new` are the paths of those that were never sent; `way` is how the model expands a handle,
    None when it cannot, so that nothing more is hidden; `whole` says that it cannot expand what was
    hidden before either; `count` counts tokens; `spare` are the tokens that the whole request may
    lose, and `remind` returns the line that a new result ends with (see `Case`).
    """

    conversation: Conversation
    stores: Stores
    way: str | None
    count: Callable[[str], int]
    new: Collection[Path] = ()
    whole: bool = False
    spare: float = inf
    remind: Callable[[Observation], str] | None = None

    def settle(self, slots: Sequence[Slot]) -> dict[Path, str]:
        """Return what the model sees of each observation; `slots` are all that hold results.

        Those without text count as well, since the model counts them: "3 results back".
        """
        texts = [slot for slot in slots if editable(slot)]
        keys = {slot.path: (slot.call_id, content_id(slot.text)) for slot in texts}
        pairs = list(keys.values())
        self.conversation.load(self.stores, [*pairs, *((c + ALONE, n) for c, n in pairs)])
        self._leave_old(texts, keys)
        seen: list[Emitted] = []
        emitted: dict[Path, str] = {}
        place: tuple[str, Path] | None = None
        for slot in slots:
            goes_on, place = result(slot) == place, result(slot)
            one = self._emitted(slot, keys.get(slot.path), seen, goes_on=goes_on)
            (seen[-1].more if goes_on else seen).append(one)
            emitted[slot.path] = one.text
        return emitted

    def arrive(self, came: Observation, call_id: str, live: Sequence[str] | None) -> Decision:
        """Return the decision about one result that has just come in (see `Session.observe`)."""
        conversation = self.conversation
        conversation.recall(self.stores)
        key = (call_id or f"#{len(conversation.arrived)}", content_id(came.output))
        seen = conversation.seen(live)
        decision = conversation.known.get(key)
        call = wrote(came.command)
        if decision and live is not None and not stands(decision, seen, call):
            key, seen = (key[0] + ALONE, key[1]), []  # the same result in another history
            decision = conversation.known.get(key)
        if decision is None:
            self._listen(came, seen)
            window = conversation.window(seen, call, self.stores.redactor.redact)
            decision = conversation.known[key] = decide(
                Case(
                    session=conversation.session,
                    call_id=key[0],
                    observation=came,
                    window=window,
                    way=self.way,
                    count=self.count,
                    remind=self.remind,
                ),
                self.stores,
            )
            conversation.arrived.append(emit(decision, came, came.command or came.tool, call))
        return decision

    def _leave_old(self, slots: Sequence[Slot], keys: Mapping[Path, Key]) -> None:
        """Settle at once what was sent before we came: it stays as it is, but for its secrets.

        A secret moves the prefix once: it may have been sent redacted before its decision was lost.
        """
        known, redact = self.conversation.known, self.stores.redactor.redact
        session = self.conversation.session
        old = {
            keys[slot.path]: as_it_came(session, slot.call_id, slot.text, redact(slot.text))
            for slot in slots
            if keys[slot.path] not in known and slot.path not in self.new
        }
        for decision in store_all(list(old.values()), self.stores):
            known[decision.key] = decision

    def _emitted(
        self, slot: Slot, key: Key | None, seen: Sequence[Emitted], *, goes_on: bool
    ) -> Emitted:
        if key is None:
            return blank(self.conversation.session, slot.call_id)
        decision = self._one(slot, key, seen, alone=goes_on)
        return emit(decision, observation(slot), title(slot), "" if goes_on else called(slot))

    def _one(self, slot: Slot, key: Key, seen: Sequence[Emitted], *, alone: bool) -> Decision:
        """Return the decision about one text; `alone` says that it may refer to nothing."""
        known = self.conversation.known
        call = called(slot)
        if key not in known:
            redact = self.stores.redactor.redact
            window = Window() if alone else self.conversation.window(seen, call, redact)
            known[key] = self._decide(slot, key[0], window, seen)
        decision = known[key]
        if not stands(decision, seen, call):  # the host dropped or changed what it refers to
            second = (key[0] + ALONE, key[1])
            if second not in known:
                known[second] = self._decide(slot, second[0], Window(), seen)
            decision = known[second]
        if decision.handle and self.whole:
            safe = self.stores.redactor.redact(slot.text)
            return as_it_came(decision.session, slot.call_id, slot.text, safe)
        return decision

    def _decide(
        self, slot: Slot, call_id: str, window: Window, seen: Sequence[Emitted]
    ) -> Decision:
        session = self.conversation.session
        if self.stores.emitted(slot.text):  # `observe` has settled this one
            return as_it_came(session, call_id, slot.text)
        came = observation(slot)
        self._listen(came, seen)
        case = Case(
            session=session,
            call_id=call_id,
            observation=came,
            window=window,
            way=self.way,
            count=self.count,
            spare=self.spare - sum(part.saved for one in seen for part in (one, *one.more)),
            remind=self.remind,
        )
        return decide(case, self.stores)

    def _listen(self, came: Observation, seen: Sequence[Emitted]) -> None:
        """Take a command that is run again, with nothing done in between, for a complaint."""
        if came.command:
            earlier = [(one.title, one.decision) for one in seen]
            Feedback(self.stores).again(came.command, earlier, self.conversation.session)


def unreduced(payload: Payload, wire: str | None, redact: Callable[[str], str]) -> Payload:
    """Return a request without secrets in its results; one that cannot be read as it is.

    Raises:
        RedactionError: secrets could not be removed; do not send the request.
    """
    try:
        module = formats.of(payload, wire)
        found = list(filter(editable, module.read(payload)))
    except Exception:  # whatever it is, no provider could read it either
        return payload
    return written(module, payload, found, {slot.path: redact(slot.text) for slot in found})


def written(
    module: formats.Wire, payload: Payload, slots: Sequence[Slot], texts: Mapping[Path, str]
) -> Payload:
    """Return a request with these texts in the places of its results: itself if they are there."""
    changed = [slot.path for slot in filter(editable, slots) if texts[slot.path] != slot.text]
    return module.write(payload, [Edit(path, (Text(texts[path]),)) for path in changed])


def emit(decision: Decision, came: Observation, title: str, call: str = "") -> Emitted:
    """Return an observation as the model sees it after a decision."""
    return Emitted(decision=decision, text=reduction(decision, came).text, title=title, call=call)
