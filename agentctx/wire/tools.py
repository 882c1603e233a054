"""The tools that a request offers to the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agentctx.errors import WireError
from agentctx.values import Payload, ToolSpec
from agentctx.wire.views import Block, require, view


def offered(payload: Payload, key: str = "tools") -> Sequence[Any]:
    """Return the tools of a request; none when the field is absent, empty or "not given".

    Raises:
        WireError: the field is no list.
    """
    found = require(payload).get(key)
    if not found:
        return ()
    if not isinstance(found, (list, tuple)):
        raise WireError(f"{key!r} is of type {type(found).__name__}: pass the tools as a list")
    return found


def blocks(tools: Sequence[Any]) -> Iterator[Block]:
    """Yield those tools that can be read as mappings."""
    for tool in tools:
        block = view(tool)
        if block is not None:
            yield block


def append(
    payload: Payload,
    specs: Sequence[ToolSpec],
    names: frozenset[str],
    encode: Callable[[ToolSpec], dict[str, Any]],
) -> Payload:
    """Return `payload` with the missing tools at the end of its list.

    A request without tools stays as it is: its model was not meant to call any.
    """
    present = offered(payload)
    missing = {spec.name: encode(spec) for spec in specs if spec.name not in names}
    if not present or not missing:
        return payload
    return {**payload, "tools": [*present, *missing.values()]}
