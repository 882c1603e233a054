"""LangGraph 1.x: a checkpointer and a store over a repository of agentctx's, `<data>/langgraph`.

    saver, store = AgentctxSaver(), AgentctxStore()
    graph = builder.compile(checkpointer=saver, store=store)

A thread is a branch, a checkpoint a commit, and `copy_thread` one commit on top of another thread.
Every `put` of the store is a commit too, so that earlier values can be read, and the last undone.
"""

from __future__ import annotations

from agentctx.errors import MissingExtra

try:
    from agentctx.adapters.langgraph.saver import AgentctxSaver
    from agentctx.adapters.langgraph.store import AgentctxStore
except ImportError as error:
    raise MissingExtra("langgraph", "langgraph") from error

__all__ = ["AgentctxSaver", "AgentctxStore"]
