"""What a model said in one round, the same for every wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias

from agentctx.values import Payload, ToolCall, Usage

Item: TypeAlias = Mapping[str, Any]
"""One entry of a request's history: a message, or an item of the Responses API."""

Answer: TypeAlias = tuple[ToolCall, str]
"""A call of one of our tools and what we answer."""

LONGEST_ARGUMENTS: Final = 1 << 20
"""Characters of one call of ours that are kept of a stream; a longer one gets an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One reply: its turn as a history holds it, and the calls in it.

    `whole` is False for a turn that a limit or a filter cut short.
    """

    items: tuple[Item, ...]
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    whole: bool = True
    id: str = ""
    model: str = ""


class Weaver(Protocol):
    """Turns the streams of several rounds into the one that the caller sees.

    Blocks of our tools are left out and what follows them is renumbered; all else passes at once.
    `done` says that nothing but the end of the stream can follow.
    """

    done: bool

    def feed(self, event: Any) -> list[Any]:
        """Return what the caller sees of the next event."""

    def spoken(self) -> Spoken:
        """Return what the model said in this round, our calls included."""

    def resume(self) -> None:
        """Go on with the stream of the next round instead of ending."""

    def finish(self) -> list[Any]:
        """Return the events that were held back for the end."""


class Dialect(Protocol):
    """How one wire's replies are read and answered; pure functions, a module each."""

    KEY: str
    """Where a request holds its history."""

    def by_model(self, item: Item) -> bool:
        """Say whether the model made this item."""

    def spoken(self, reply: Any) -> Spoken:
        """Return what a reply says."""

    def without(self, reply: Any, hidden: frozenset[str]) -> Any:
        """Return the reply without those calls."""

    def bare(self, items: Sequence[Item], hidden: frozenset[str]) -> tuple[Item, ...]:
        """Return a turn without those calls."""

    def results(self, answers: Sequence[Answer]) -> tuple[Item, ...]:
        """Return the items that answer calls."""

    def extend(self, payload: Payload, spoken: Spoken, results: Sequence[Item]) -> Payload:
        """Return the request of the next round."""

    def before(self, results: Sequence[Item], rest: Sequence[Item]) -> list[Item]:
        """Return our results and what the caller sends after a turn, as one history."""

    def like(self, turn: Sequence[Item], given: Sequence[Item]) -> Sequence[Item]:
        """Return `turn` with the cache markers that the caller put on its own copy of it."""

    def weaver(self, hidden: frozenset[str]) -> Weaver:
        """Return what hides the calls of these tools in a stream."""
