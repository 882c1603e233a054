"""What the search index needs to know of a memory."""

from __future__ import annotations

from typing import Protocol

from agentctx.memory.store.nodes import Node


class Source(Protocol):
    """Git commits and their files; `store.Store` is one."""

    def node(self, hash: str) -> Node:
        """Return a git commit."""

    def read(self, hash: str, path: str) -> str | None:
        """Return a file in the tree of a git commit, None if it has none there."""
