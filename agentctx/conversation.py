"""What one conversation has been shown, and the window that the next reduction may refer to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from threading import RLock

from agentctx.ledger import Decision, Key
from agentctx.stores import Stores
from agentctx.terminal.command import label
from agentctx.terminal.reduce import called, shown
from agentctx.terminal.window import Window
from agentctx.values import content_id

ALONE = "\0alone"
"""Ends the call id of a decision that refers to nothing, made when an earlier one could not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Emitted:
    """One observation as the model sees it: the decision about it, its text, what names it.

    `call` is what the model itself wrote in the call, such as a file's new content; `more` are the
    further texts of the same result.
    """

    decision: Decision
    text: str
    title: str = ""
    call: str = ""
    more: list[Emitted] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The content id of what the model sees."""
        return self.decision.emitted_id

    @property
    def saved(self) -> int:
        """The tokens that the decision saved."""
        return self.decision.tokens_before - self.decision.tokens_after


@dataclass(slots=True)
class Conversation:
    """The decisions of one session in memory; the ledger has them all. Hold `lock` around uses."""

    session: str
    lock: RLock = field(default_factory=RLock)
    known: dict[Key, Decision] = field(default_factory=dict)
    arrived: list[Emitted] = field(default_factory=list)
    recalled: bool = False
    _looked: set[Key] = field(default_factory=set)
    _window: Window = field(default_factory=Window)
    _chain: list[str] = field(default_factory=list)

    def load(self, stores: Stores, keys: Collection[Key]) -> None:
        """Fetch the stored decisions that this process has not looked for yet."""
        missing = [key for key in keys if key not in self.known and key not in self._looked]
        self.known.update(stores.find(self.session, missing))
        self._looked.update(missing)

    def recall(self, stores: Stores) -> None:
        """Fetch, once, what `observe` decided in earlier processes, in the order of arrival."""
        if self.recalled:
            return
        self.recalled = True
        decisions = stores.decisions(self.session)
        emitted = {one.emitted_id for one in decisions if one.text is not None}
        for decision in decisions:
            self.known[decision.key] = decision
            if decision.content_id not in emitted:  # else `rewrite` met what had arrived before
                self.arrived.append(Emitted(decision=decision, text=decision.text or ""))

    def seen(self, live: Sequence[str] | None) -> list[Emitted]:
        """Return the results of these calls, as far as they are known; of an unknown one, a blank.

        When a host uses a call id twice, the last place is that of the last result.
        """
        if live is None:
            return list(self.arrived)
        known = {one.decision.call_id.removesuffix(ALONE): one for one in self.arrived}
        found = [
            known.pop(call_id) if call_id in known else blank(self.session, call_id)
            for call_id in reversed(live)
        ]
        return found[::-1]

    def window(self, seen: Sequence[Emitted], call: str, redact: Callable[[str], str]) -> Window:
        """Return the window of a request that shows these observations, oldest first, and a call.

        The one that was built last is extended when it can be; a fork starts anew. `redact` takes
        secrets out of what names an observation in a marker.
        """
        entries: list[tuple[str, Emitted | None]] = []
        for first in seen:
            entries += [(first.call, None), (first.id, first)]
            entries += [(f"+{part.id}", part) for part in first.more]
        entries.append((call, None))
        chain = [name for name, _ in entries]
        if chain[: len(self._chain)] != self._chain:
            self._window, self._chain = Window(), []
        for name, one in entries[len(self._chain) :]:
            if one is None:
                self._window.add(called(name))
                continue
            text = shown(one.id, label(redact(one.title)), one.text, one.decision.spans)
            self._window.add(text, goes_on=name.startswith("+"))
        self._chain = chain
        return self._window


def blank(session: str, call_id: str) -> Emitted:
    """Return a result that shows no text of which we know."""
    nothing = content_id("")
    decision = Decision(session=session, call_id=call_id, content_id=nothing, emitted_id=nothing)
    return Emitted(decision=decision, text="")


def stands(decision: Decision, seen: Sequence[Emitted], call: str) -> bool:
    """Tell whether all that a decision refers to is still where it says: "id@results back".

    `call` is what the model wrote in the call that the observation answers.
    """
    return all(_stands(ref, seen, call) for ref in decision.refs)


def _stands(ref: str, seen: Sequence[Emitted], call: str) -> bool:
    name, _, back = ref.rpartition("@")
    if back == "0":
        return name == f"call:{content_id(call)}"
    if int(back) > len(seen):
        return False
    one = seen[-int(back)]
    return name in (f"call:{content_id(one.call)}", *(part.id for part in (one, *one.more)))
