"""Which checkpoint a LangGraph config means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig

from agentctx.adapters.langgraph.thread import Entry, View, branch_of
from agentctx.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A checkpoint of a thread, in a namespace; without an id, the latest there.

    Attributes:
        thread: the thread's name as the config has it, text or not.
        ns: the namespace, None when the config has none.
        id: the checkpoint's id, "" for the latest.
    """

    thread: Any
    ns: str | None = None
    id: str = ""

    @classmethod
    def of(cls, config: RunnableConfig) -> Place:
        """Return what a config means.

        Raises:
            ConfigError: it names no thread.
        """
        found = config.get("configurable", {})
        if found.get("thread_id") is None:
            raise ConfigError('config without a thread: add {"configurable": {"thread_id": "…"}}')
        ns, id = found.get("checkpoint_ns"), found.get("checkpoint_id")
        return cls(thread=found["thread_id"], ns=ns if ns is None else str(ns), id=str(id or ""))

    @property
    def name(self) -> str:
        """The thread's name as text."""
        return str(self.thread)

    @property
    def space(self) -> str:
        """The namespace; that of the graph itself when none is said."""
        return self.ns or ""

    @property
    def branch(self) -> str:
        """The branch that the thread is."""
        return branch_of(self.name)

    def entry(self, view: View) -> Entry | None:
        """Return the checkpoint, None when there is none."""
        found = view.entry(self.space, self.id) if self.id else view.latest(self.space)
        return found if found and not found.hidden else None

    def covers(self, entry: Entry) -> bool:
        """Tell whether a checkpoint of the thread is meant; without an id, all of them are."""
        inside = self.ns is None or entry.ns == self.ns
        return inside and not entry.hidden and (not self.id or entry.id == self.id)

    def config(self, entry: Entry) -> RunnableConfig:
        """Return the config of a checkpoint in the same thread."""
        return self._at(entry.ns, entry.id)

    def before(self, entry: Entry) -> RunnableConfig | None:
        """Return the config of the checkpoint before one."""
        return self._at(entry.ns, entry.parent) if entry.parent else None

    def _at(self, ns: str, id: str) -> RunnableConfig:
        names = {"thread_id": self.thread, "checkpoint_ns": ns, "checkpoint_id": id}
        return RunnableConfig(configurable=names)
