"""Who decides what two branches disagree about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from agentctx.errors import MemoryStoreError
from agentctx.memory.hygiene import safely
from agentctx.memory.records import Clash

POLICIES = (OURS, THEIRS, BOTH, AGENT) = ("ours", "theirs", "both", "agent")

Policy: TypeAlias = Callable[[Clash], str | None]
"""Answers a clash with "ours", "theirs", "both" or the text to have; None leaves it open."""


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
    otherwise = None if name == AGENT else name
    return lambda clash: given.get(clash.item, otherwise)
