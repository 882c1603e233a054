"""What callers hand to a session, and what it is about to send, checked."""

from __future__ import annotations

from dataclasses import replace

from agentctx import options
from agentctx.config import Settings
from agentctx.errors import ConfigError, MemoryNameError, ToolError, WireError
from agentctx.memory import names
from agentctx.options import Remember
from agentctx.values import Observation, Payload
from agentctx.wire import Wire


def hint(template: str | None) -> str | None:
    """Return a way to expand if it names the handle: "agentctx expand {handle}".

    Raises:
        ConfigError: it does not.
    """
    try:
        usable = not template or "a1b2c3" in template.format(handle="a1b2c3")
    except (AttributeError, LookupError, ValueError):
        usable = False
    if not usable:
        raise ConfigError(
            f"expand_hint {template!r} does not name the handle: "
            "write e.g. 'agentctx expand {handle}'"
        )
    return template


def memory(settings: Settings, wanted: Remember | str | None) -> Settings:
    """Return the settings with memory as the caller wants it, on a branch that may be called so.

    Raises:
        ConfigError: there is no such way to remember, or no such branch.
    """
    if wanted is not None:
        try:
            settings = replace(settings, memory=options.remember(wanted))
        except ValueError as error:
            raise ConfigError(f"memory {str(wanted)[:40]!r}: {error}") from None
    if settings.memory_branch and settings.memory is not Remember.OFF:
        try:
            names.branch(settings.memory_branch)
        except MemoryNameError as error:
            raise ConfigError(f"memory_branch: {error}") from None
    return settings


def remembers(*, on: bool) -> None:
    """Raise unless there is memory.

    Raises:
        ConfigError: it is off.
    """
    if not on:
        raise ConfigError('memory is off: set memory = "on" or AGENTCTX_MEMORY=on')


def text(observation: Observation) -> Observation:
    """Return an observation that holds text.

    Raises:
        ToolError: it holds something else.
    """
    for name in ("output", "command", "tool"):
        value = getattr(observation, name)
        if not isinstance(value, str):
            kind = type(value).__name__
            raise ToolError(f"{name!r} of an observation is of type {kind}: pass it as text")
    return observation


def valid(wire: Wire, payload: Payload, sent: Payload) -> Payload:
    """Return what is about to be sent if it keeps the provider's rules as the caller's request does.

    Raises:
        WireError: it breaks one that the caller's request does not.
    """
    known = {violation.rule for violation in wire.check(payload)}
    for violation in wire.check(sent):
        if violation.rule not in known:
            raise WireError(f"{violation.rule} at {violation.path}: {violation.message}")
    return sent
