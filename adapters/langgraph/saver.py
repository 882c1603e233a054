"""LangGraph's checkpointer: threads that survive, fork in one commit and are pruned with care."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from agentctx.adapters.langgraph import thread as thread
from agentctx.adapters.langgraph.codec import Codec, deltas
from agentctx.adapters.langgraph.place import Place
from agentctx.adapters.langgraph.prune import history, newest
from agentctx.adapters.langgraph.thread import Entry, Files, View, Write
from agentctx.adapters.langgraph.threads import Threads, opened
from agentctx.errors import ConfigError
from agentctx.twins import stream, twin

if TYPE_CHECKING:
    from langgraph.checkpoint.base import DeltaChannelHistory

_STRATEGIES = ("keep_latest", "delete")


class AgentctxSaver(BaseCheckpointSaver[str]):
    """Keeps the checkpoints of graphs; several processes and threads may share a data folder.

    What cannot be serialized is refused, never pickled. As with every checkpointer of LangGraph,
    LANGGRAPH_STRICT_MSGPACK=true limits which types are made again from what is stored.
    """

    def __init__(
        self, data: Path | str | None = None, *, serde: SerializerProtocol | None = None
    ) -> None:
        """Use a data folder, which is made if need be; all else waits until it is used.

        Args:
            data: the data folder; the default is that of the settings.
            serde: turns values into bytes and back; the default is LangGraph's own.

        Raises:
            ConfigError: the settings or the folder cannot be used.
        """
        super().__init__(serde=serde)
        self._threads = Threads(opened(data))

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that a config names, or the latest; None when there is none.

        Raises:
            ConfigError: it names no thread.
        """
        place = Place.of(config)
        view = self._threads.view(place.branch)
        entry = place.entry(view) if view else None
        return self._codec.found(place, view, entry) if view and entry else None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield the checkpoints of a thread, or of all threads, newest first.

        Args:
            config: names the thread, and the namespace and the checkpoint if it has them.
            filter: what their metadata must hold.
            before: names a checkpoint; only those with smaller ids are meant.
            limit: how many at most.
        """
        end = Place.of(before).id if before else ""
        found = (
            self._codec.found(place, view, entry)
            for place, view, entry in self._entries(Place.of(config) if config else None)
            if (not end or entry.id < end) and self._codec.fits(view, entry, filter or {})
        )
        return islice(found, None if limit is None else max(limit, 0))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint after the one that a config names, and return its own config.

        Raises:
            MemoryStoreError: it cannot be written; nothing was.
        """
        place, files, codec = Place.of(config), Files(), self._codec
        noted = get_checkpoint_metadata(config, metadata)
        held = checkpoint["channel_values"]
        rest = {name: value for name, value in checkpoint.items() if name != "channel_values"}
        made = Entry(
            ns=place.space,
            id=checkpoint["id"],
            parent=place.id,
            checkpoint=codec.keep(rest, files),
            metadata=codec.keep(noted, files),
            run=str(noted.get("run_id") or ""),
        )
        new = {c: codec.keep(held[c], files) if c in held else None for c in new_versions}
        with self._threads.change("langgraph checkpoint") as change:
            view = change.view(place.branch)
            parent = view.entry(made.ns, made.parent) if view and made.parent else None
            values = dict(codec.values(checkpoint, new, parent, files))
            made = replace(made, values=values, deltas=deltas(noted, held, parent))
            title = f"{noted.get('source', 'checkpoint')} step {noted.get('step', '?')}"
            change.add(place.name, view, made, files, title)
        return place.config(made)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote after a checkpoint; what it has stored already stays.

        Raises:
            MemoryStoreError: it cannot be written; nothing was.
        """
        place, files, codec = Place.of(config), Files(), self._codec
        made = [
            Write(
                task=task_id,
                index=WRITES_IDX_MAP.get(channel, index),
                channel=channel,
                path=task_path,
                value=codec.keep(value, files),
            )
            for index, (channel, value) in enumerate(writes)
        ]
        path = thread.writes_path(thread.entry_name(place.space, place.id), task_id)
        with self._threads.change("langgraph writes") as change:
            view = change.view(place.branch)
            there = {one.index: one for one in (view.written(path) if view else ())}
            merged = there | {w.index: w for w in made if w.index < 0 or w.index not in there}
            if merged != there:
                files |= thread.writes_files(path, merged.values())
                change.put(place.name, view, files, f"writes of {task_id}")

    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread; its objects go when the repository is collected."""
        self.prune([thread_id], strategy="delete")

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Let a new thread begin with all that another one holds, in one commit.

        Raises:
            UnknownMemory: there is no such source.
            MemoryStoreError: the target has checkpoints already.
        """
        with self._threads.change("langgraph copy") as change:
            change.copy(str(source_thread_id), str(target_thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs in all threads; later ones keep their state."""
        runs = {str(run) for run in run_ids}
        with self._threads.change("langgraph delete runs") as change:
            for branch, view in self._threads.views().items() if runs else ():
                change.remove(branch, view, lambda entry: entry.run in runs)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete the older checkpoints of threads; what is left keeps its state.

        Args:
            thread_ids: the threads.
            strategy: "keep_latest" keeps the latest of each namespace, "delete" nothing.

        Raises:
            ConfigError: there is no such strategy.
        """
        if strategy not in _STRATEGIES:
            known = " or ".join(_STRATEGIES)
            raise ConfigError(f"strategy {strategy!r} is unknown: use {known}")
        with self._threads.change("langgraph prune") as change:
            for branch in dict.fromkeys(thread.branch_of(str(name)) for name in thread_ids):
                if (view := change.view(branch)) is not None:
                    latest = newest(view.entries()) if strategy == "keep_latest" else set()
                    change.remove(branch, view, partial(_other, latest))

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what rebuilds channels that are stored as their writes."""
        place = Place.of(config)
        view = self._threads.view(place.branch)
        entry = place.entry(view) if view else None
        if view is None or entry is None:
            return {channel: {"writes": []} for channel in channels}
        found = history(view, entry, channels)
        return {channel: self._codec.history(view, one) for channel, one in found.items()}

    aget_tuple, alist = twin(get_tuple), stream(list)
    aput, aput_writes = twin(put), twin(put_writes)
    adelete_thread, adelete_for_runs = twin(delete_thread), twin(delete_for_runs)
    acopy_thread, aprune = twin(copy_thread), twin(prune)
    aget_delta_channel_history = twin(get_delta_channel_history)

    def get_next_version(self, current: Any, channel: None) -> str:
        """Return a version greater than `current`, and like none on another fork."""
        number = int(str(current).partition(".")[0]) if current is not None else 0
        return f"{number + 1:032}.{secrets.randbelow(10**16):016}"

    def close(self) -> None:
        """Close the files."""
        self._threads.store.close()

    @property
    def _codec(self) -> Codec:
        return Codec(self.serde)

    def _entries(self, place: Place | None) -> Iterator[tuple[Place, View, Entry]]:
        """Yield the checkpoints of one thread or of all, newest first, each read when it is due."""
        if place is None:
            views = [(Place(thread=v.thread), v) for v in self._threads.views().values()]
        else:
            view = self._threads.view(place.branch)
            views = [(place, view)] if view else []
        named = [(id, name, p, view) for p, view in views for id, name in view.names(p.ns)]
        for _, name, found, view in sorted(named, key=lambda each: each[0], reverse=True):
            if found.covers(entry := view.named(name)):
                yield found, view, entry


def _other(names: Set[str], entry: Entry) -> bool:
    return entry.name not in names
