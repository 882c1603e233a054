"""Who decides what two branches disagree about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from agentctx.errors import MemoryStoreError
from agentctx.memory.hygiene import safely
from agentctx.memory.records import Clash

POLICIES = (OURS, THEIRS, BOTH, AGENT) = ("ours", "theirs", "both", "agent")

_SHOWN, _LONGEST = 20, 80
"""Items that an error names, and characters of each."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Answers a clash with "ours", "theirs", "both" or the text to have; None leaves it open.

    `given` are the answers for single items, `otherwise` is that for all others.
    """

    given: Mapping[str, str]
    otherwise: str | None

    def __call__(self, clash: Clash) -> str | None:
        """Return the answer to a clash."""
        return self.given.get(clash.item, self.otherwise)

    def check(self, clashes: Collection[Clash]) -> None:
        """See that each single answer is for one of all clashes that there are.

        Raises:
            MemoryStoreError: one is for nothing.
        """
        there = list(dict.fromkeys(clash.item for clash in clashes))
        for item in self.given:
            if item not in there:
                names = ", ".join(repr(one[:_LONGEST]) for one in there[:_SHOWN])
                left = f" or {len(there) - _SHOWN} more" if len(there) > _SHOWN else ""
                which = f"resolve {names}{left}" if there else "there is none: leave it out"
                raise MemoryStoreError(f"{item[:_LONGEST]!r} is in no conflict: {which}")


def policy(
    name: str, resolutions: Mapping[str, str] | None = None, redact: Callable[[str], str] = str
) -> Policy:
    """Return the policy of that name.

    Args:
        name: "ours", "theirs", "both", or "agent", which leaves every clash open.
        resolutions: item of a clash → "ours", "theirs", "both" or the text to have; they go before
            the policy. The text of a metadata value is JSON, or else the string itself.
        redact: takes secrets out of the texts of resolutions, which are stored.

    Raises:
        MemoryStoreError: there is no such policy, or a resolution is no text.
    """
    if name not in POLICIES:
        raise MemoryStoreError(f"{name!r} is no merge policy: use {', '.join(POLICIES)}")
    given = dict[str, str]()
    for item, text in (resolutions or {}).items():
        if not isinstance(text, str):
            raise MemoryStoreError(
                f"the resolution of {item!r} is no text: give ours, theirs, both or the text to have"
            )
        given[item] = safely(text, redact)
    return Policy(given, None if name == AGENT else name)
