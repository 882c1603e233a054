"""One call of the caller's: the rounds it takes, and what is kept of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, cast

from agentctx import wire
from agentctx.errors import MemoryStoreError, RedactionError
from agentctx.session import Session
from agentctx.values import Payload, ToolCall, Usage
from agentctx.wrap import openai_responses
from agentctx.wrap.history import Splice, complete, key_after, turns
from agentctx.wrap.shape import added, field, plain, put
from agentctx.wrap.spoken import Answer, Dialect, Item, Spoken, Weaver
from agentctx.wrap.store import Splices

ROUNDS: Final = 8
"""How many rounds of our calls are answered within one call of the caller's."""

_ENOUGH = "error: no more context calls in this turn: go on with what you have"
_UNREADABLE = "error: the arguments cannot be read: give them as the tool describes"
_RESPONSES: Final = "openai_responses"
_DIALECTS: Final = {name: f"agentctx.wrap.{name}" for name in wire.NAMES}


class Talk:
    """The state between the rounds of one call; every method may work on disk, none waits."""

    def __init__(self, session: Session, splices: Splices, name: str, given: Payload) -> None:
        """Take the caller's request `given`, in the format of the wire `name`."""
        self.session = session
        self.wire = wire.get(name)
        self.dialect = cast("Dialect", import_module(_DIALECTS[name]))
        self.ours: frozenset[str] = frozenset()
        self._splices = splices
        self._given = given
        self._asked = self._payload = given
        self._sent: Payload = given
        self._rounds = 0
        self._before: list[Item] = []
        self._seen: list[Item] = []
        self._first_id = ""

    def open(self) -> None:
        """Complete the history and offer our tools; if that fails the request stays as it is."""
        try:
            self._asked = self._payload = _readable(self._given, self.dialect.KEY)
            self._payload = self._offered(self._completed(self._asked))
            names = self.wire.tool_names
            self.ours = names(self._payload) - names(self._asked)
        except Exception as error:  # law 7: what the caller wanted to send goes out
            self._tell("wrap-failed", error)
            self._payload = self._asked

    def request(self) -> Payload:
        """Return the request of this round.

        Raises:
            RedactionError: secrets could not be removed.
            MemoryStoreError: memory is on, and could not be written.
        """
        self._sent = self.session.rewrite(self._payload, wire=self.wire.NAME)
        return self._given if self._sent is self._asked else self._sent

    def settle(self, said: Spoken, *, streamed: bool = False) -> bool:
        """Take in what the model said; True when its calls of ours were answered and it may go on.

        `streamed` says that the caller has seen what was said in the earlier rounds too.
        """
        try:
            if said.usage != Usage():
                model = said.model or str(self._asked.get("model", ""))
                self.session.record(said.usage, model=model, sent=self._sent, wire=self.wire.NAME)
            self._note(said)
            return self._settle(said, streamed)
        except (RedactionError, MemoryStoreError):
            raise
        except Exception as error:  # law 7: the caller gets the reply, less our calls
            self._tell("wrap-failed", error)
            return False

    def read(self, spoken: Callable[[], Spoken]) -> Spoken:
        """Return what `spoken` makes of a reply; nothing where it is of no known form."""
        try:
            return spoken()
        except Exception as error:  # law 7: the caller gets what there is
            self._tell("wrap-failed", error)
            return Spoken(items=(), whole=False)

    def visible(self, reply: Any, said: Spoken, spent: Any) -> Any:
        """Return the reply as the caller sees it, after rounds that took the usage `spent`."""
        try:
            if spent is not None:
                reply = put(reply, usage=added(spent, field(reply, "usage")))
            hidden = self._hidden(said)
            return self.dialect.without(reply, hidden) if hidden else reply
        except Exception as error:  # law 7: a text, say, has no place for the usage
            self._tell("wrap-failed", error)
            return reply

    def shown(self, weaver: Weaver, event: Any) -> list[Any]:
        """Return the events that the caller sees of one."""
        try:
            return weaver.feed(event)
        except Exception as error:  # law 7: an event of no known form is the caller's to judge
            self._tell("wrap-failed", error)
            return [event]

    def _note(self, said: Spoken) -> None:
        """Let memory know what was said: the caller may never send it back."""
        session, agents = self.session, self.wire.tool_names(self._payload)
        if said.whole and session.remembers and (session.name or agents or said.calls):
            session.replied(self.wire.read({self.dialect.KEY: list(said.items)}))

    def _hidden(self, said: Spoken) -> frozenset[str]:
        return frozenset(call.id for call in said.calls if call.name in self.ours)

    def _settle(self, said: Spoken, streamed: bool) -> bool:
        self._first_id = self._first_id or said.id
        ours = [call for call in said.calls if call.name in self.ours]
        visible = self.dialect.bare(said.items, self._hidden(said))
        self._seen = [*self._seen, *visible] if streamed else list(visible)
        if not ours or not said.whole:
            changed = bool(streamed and self._before)
            self._keep(said, visible if changed else (), (), streamed=streamed)
            return False
        results = self.dialect.results([self._answer(call) for call in ours])
        if len(ours) < len(said.calls) or self._rounds > ROUNDS:
            self._keep(said, said.items, results, streamed=streamed)
            return False
        self._payload = self.dialect.extend(self._payload, said, results)
        self._before += [*said.items, *results]
        self._rounds += 1
        return True

    def _answer(self, call: ToolCall) -> Answer:
        if self._rounds >= ROUNDS:
            return call, _ENOUGH
        return call, self.session.handle(call) or _UNREADABLE

    def _keep(
        self, said: Spoken, turn: Sequence[Item], results: Sequence[Item], *, streamed: bool
    ) -> None:
        """Remember what the caller does not see, for when this turn comes back."""
        splice = Splice(before=tuple(self._before), turn=tuple(turn), results=tuple(results))
        if splice == Splice():
            return
        if self.wire.NAME == _RESPONSES:
            seen_id = self._first_id if streamed else said.id
            link = Splice(results=splice.results, link=said.id)
            self._splices.put(openai_responses.key(seen_id), link)
        if not self._link:
            key = key_after(self._asked, self._seen, self.wire, self.dialect)
            self._splices.put(key, splice)

    @property
    def _link(self) -> str:
        """The response that the request goes on from: the server keeps what stands before it."""
        return str(self._asked.get("previous_response_id") or "")

    def _completed(self, payload: Payload) -> Payload:
        items = payload.get(self.dialect.KEY)
        if not (self._link or isinstance(items, list)) or not self._splices.any():
            return payload
        if self._link:
            found = self._splices.find([key := openai_responses.key(self._link)])
            return openai_responses.linked(payload, found[key]) if found else payload
        made = turns(payload, self.wire, self.dialect)
        splices = self._splices.find([turn.key for turn in made])
        return complete(payload, made, splices, self.dialect)

    def _offered(self, payload: Payload) -> Payload:
        # several choices cannot be continued as one, and a background response is read elsewhere
        if (payload.get("n") or 1) > 1 or payload.get("background"):
            return payload
        return self.session.offer(payload, wire=self.wire.NAME)

    def _tell(self, kind: str, error: Exception) -> None:
        self.session.stores.tell(kind, "", error=str(error)[:500])


def _readable(given: Payload, key: str) -> Payload:
    """Return a request in dicts and lists, whatever objects of its SDK the caller put in."""
    lists = {
        name: list(given[name])
        for name in (key, "tools")
        if name in given and hasattr(given[name], "__next__")
    }
    made: Payload = plain({**given, **lists} if lists else given)
    return made
