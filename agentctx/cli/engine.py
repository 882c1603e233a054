"""The way from `exec` and `reduce` to the session, which is loaded only when it has work to do."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from agentctx import config
from agentctx.cli import again
from agentctx.options import Mode
from agentctx.stores import Stores
from agentctx.values import Observation, Reduction

if TYPE_CHECKING:
    from agentctx.session import Session

WAY = "agentctx expand {handle}"
"""What a reader of the command line does to see what is hidden."""

LARGE = 16_000
"""Bytes from which an output is so likely to shrink that a first look is not worth its time."""


class Engine:
    """Reduces observations; the ledger's libraries, most of the cost, wait until one shrinks."""

    def __init__(self, settings: config.Settings | None = None) -> None:
        """Use these settings, or those that hold in the working folder.

        Raises:
            ConfigError: the settings cannot be used.
        """
        self.settings = settings or config.load()
        self._stores = Stores(self.settings)

    def observe(self, observation: Observation, started: float | None = None) -> Reduction:
        """Return what the agent should see of a tool's result.

        Args:
            observation: the result.
            started: when its command did, in seconds since 1970, if one was run just now.

        Raises:
            RedactionError: secrets could not be removed; do not show the result.
        """
        if self.settings.mode is Mode.OFF:
            return Reduction(text=observation.output)
        if self.settings.mode is not Mode.METER and len(observation.output) < LARGE:
            dry = self._rehearsed(observation)
            if not dry.handle:
                return dry
        if started is None:
            return self._session.observe(observation)
        return again.observe(self._session, observation, started)

    def warm(self, size: int) -> None:
        """Load, while there is time, what an output of `size` bytes or more will need."""
        import_module("agentctx.terminal.reduce")
        self._stores.redactor.redact("")
        if size >= LARGE:
            self._session.stores.find("", [("", "")])

    def _rehearsed(self, observation: Observation) -> Reduction:
        """Return what a first look makes of a result; without a handle it is final."""
        from dataclasses import replace

        from agentctx.terminal.reduce import limits, reduce
        from agentctx.terminal.window import Window
        from agentctx.tokens import estimate

        safe = replace(observation, output=self._stores.redactor.redact(observation.output))
        way = WAY.format(handle="0" * 6)
        return reduce(
            safe,
            window=Window(),
            handle="0" * 6,
            way=way,
            count=estimate,
            limits=limits(self.settings),
            chosen=self._stores.chosen,
        )

    @cached_property
    def _session(self) -> Session:
        from dataclasses import replace

        from agentctx.options import Rules
        from agentctx.session import Session
        from agentctx.tokens import estimate

        # One command shows nothing of what is used afterwards: there is nothing to learn from.
        evolves = self.settings.rules is Rules.EVOLVE
        settings = replace(self.settings, rules=Rules.ON) if evolves else self.settings
        # To load a vocabulary would take 70 MiB and 0.3 s.
        return Session(
            settings=settings,
            redactor=self._stores.redactor,
            expand_hint=WAY,
            count=estimate,
        )
