"""Passes for an object of an SDK that it stands for."""

from __future__ import annotations

from typing import Any


class StandIn:
    """Has the class and the attributes of what it stands for, but for those of its own."""

    def __init__(self, source: Any) -> None:
        self._agentctx_source = source

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of what it stands for."""
        if name.startswith("_agentctx"):  # not there yet: while being copied or unpickled
            raise AttributeError(name)
        return getattr(self._agentctx_source, name)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # isinstance() asks here
        return type(self._agentctx_source)
