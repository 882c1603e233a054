"""agentctx: decides what a model sees, keeps everything else, brings any of it back."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentctx.errors import AgentctxError as AgentctxError
    from agentctx.session import Session as Session
    from agentctx.values import Observation as Observation
    from agentctx.values import Reduction as Reduction
    from agentctx.values import ToolCall as ToolCall
    from agentctx.values import Usage as Usage
    from agentctx.wrap import wrap as wrap

__version__ = "0.1.0"

_HOMES = {
    "AgentctxError": "agentctx.errors",
    "Observation": "agentctx.values",
    "Reduction": "agentctx.values",
    "Session": "agentctx.session",
    "ToolCall": "agentctx.values",
    "Usage": "agentctx.values",
    "wrap": "agentctx.wrap",
}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - the names are those of the lazy table


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that `import agentctx` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'agentctx' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
