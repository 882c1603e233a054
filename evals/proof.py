"""Laws 1, 2 and 6 shown on a whole run: every original back, every prefix unmoved, no rule broken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentctx import wire as formats
from agentctx.errors import AgentctxError
from agentctx.evals.audit import handles
from agentctx.evals.host import canonical
from agentctx.evals.ours import SessionArm
from agentctx.evals.results import Example
from agentctx.session import Session
from agentctx.values import Payload, content_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One original, asked for by its handle after a restart and compared byte for byte.

    `handle` is "" where the model was sent the whole output; `size` are the bytes of the original.
    """

    number: int
    handle: str
    size: int
    content: str
    equal: bool


@dataclass(frozen=True, slots=True)
class Prefix:
    """How many requests begin with all bytes of the request before; `shared` are those bytes."""

    requests: int = 0
    extended: int = 0
    shared: int = 0

    @property
    def holds(self) -> bool:
        """Whether no request moved the prefix."""
        return self.extended == max(0, self.requests - 1)


def prefix(requests: Iterable[Payload]) -> Prefix:
    """Compare each request with the one before, in the order in which providers read it."""
    last, found = "", Prefix()
    for request in requests:
        head = {key: request.get(key) for key in ("model", "tools", "system")}
        now = canonical(head) + canonical(request["messages"])[:-1]
        extends = found.requests > 0 and now.startswith(last)
        found = Prefix(
            found.requests + 1,
            found.extended + extends,
            found.shared + extends * len(last.encode("utf-8", "surrogatepass")),
        )
        last = now
    return found


def broken(requests: Iterable[Payload], wire: str) -> int:
    """Count the provider's rules that requests break."""
    return sum(len(formats.get(wire).check(request)) for request in requests)


def prove(observations: Sequence[Example], arm: SessionArm) -> tuple[Proof, ...]:
    """Return the proof for each observation, from a session that is opened anew on the same data."""
    first = arm.session
    again = Session(first.name, settings=first.settings, redactor=first.stores.redactor)
    return tuple(_proof(one, again, arm.original(one.before)) for one in observations)


def _proof(one: Example, session: Session, original: str) -> Proof:
    wanted = original.encode("utf-8", "surrogatepass")
    name = content_id(original)
    named = handles(one.after) if one.after != original else []
    asked = named or ([name] if one.after != original else [])
    found = [_read(handle, session) for handle in asked]
    return Proof(
        number=one.number,
        handle=next((h for h in named if name.startswith(h)), name[:6] if found else ""),
        size=len(wanted),
        content=name,
        equal=wanted in found if found else one.after == original,
    )


def _read(handle: str, session: Session) -> bytes:
    """Return what is behind a handle; nothing at all if nothing is."""
    try:
        return session.stores.archive.read(session.stores.resolve(handle))
    except AgentctxError:
        return b""
