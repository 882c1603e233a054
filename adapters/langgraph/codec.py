"""LangGraph's values as texts of a thread and back, by the serializer of its checkpointer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.base import Checkpoint, CheckpointTuple
from langgraph.checkpoint.serde.base import SerializerProtocol

from agentctx.adapters.langgraph import texts as texts
from agentctx.adapters.langgraph.place import Place
from agentctx.adapters.langgraph.prune import History
from agentctx.adapters.langgraph.texts import Slot
from agentctx.adapters.langgraph.thread import Entry, Files, Value, View, Write

if TYPE_CHECKING:
    from langgraph.checkpoint.base import DeltaChannelHistory

_COUNTERS = "counters_since_delta_snapshot"
_SNAPSHOT = "_DeltaSnapshot"


class Codec:
    """Turns values into slots and what a thread holds into LangGraph's own objects."""

    def __init__(self, serde: SerializerProtocol) -> None:
        self._serde = serde

    def keep(self, value: Any, files: Files) -> Slot:
        """Return the slot of a value; what does not fit into it is added to `files`."""
        return texts.keep(texts.write(self._serde.dumps_typed(value)), files)

    def values(
        self,
        checkpoint: Checkpoint,
        new: Mapping[str, Slot | None],
        parent: Entry | None,
        files: Files,
    ) -> Iterator[tuple[str, Value]]:
        """Yield what each channel holds: what is new, as in the parent, or as the checkpoint says.

        Args:
            checkpoint: names the channels and their versions.
            new: the channels with a new version; None for those that hold nothing.
            parent: the checkpoint before.
            files: takes what does not fit into a slot.
        """
        for channel, version in checkpoint["channel_versions"].items():
            there = parent.values.get(channel) if parent else None
            if channel in new:
                if (slot := new[channel]) is not None:
                    yield channel, (version, slot)
            elif there and there[0] == version:
                yield channel, there
            elif channel in checkpoint["channel_values"]:
                yield channel, (version, self.keep(checkpoint["channel_values"][channel], files))

    def found(self, place: Place, view: View, entry: Entry) -> CheckpointTuple:
        """Return a checkpoint with its values, its metadata and the writes on it."""
        checkpoint: Checkpoint = self._load(view, entry.checkpoint)
        values = {c: self._load(view, slot) for c, (_, slot) in entry.values.items()}
        return CheckpointTuple(
            config=place.config(entry),
            checkpoint={**checkpoint, "channel_values": values},
            metadata=self._load(view, entry.metadata),
            parent_config=place.before(entry),
            pending_writes=[self._write(view, one) for one in view.writes(entry.name)],
        )

    def fits(self, view: View, entry: Entry, filter: Mapping[str, Any]) -> bool:
        """Tell whether the metadata of a checkpoint hold all of `filter`."""
        metadata = self._load(view, entry.metadata) if filter else {}
        return all(metadata.get(name) == value for name, value in filter.items())

    def history(self, view: View, found: History) -> DeltaChannelHistory:
        """Return what rebuilds a channel, as LangGraph asks for it."""
        writes = [self._write(view, one) for one in found.writes]
        if found.seed is None:
            return {"writes": writes}
        return {"writes": writes, "seed": self._load(view, found.seed)}

    def _write(self, view: View, write: Write) -> tuple[str, str, Any]:
        return write.task, write.channel, self._load(view, write.value)

    def _load(self, view: View, slot: Slot) -> Any:
        return self._serde.loads_typed(texts.read(view.text(slot)))


def deltas(
    metadata: Mapping[str, Any], values: Mapping[str, Any], parent: Entry | None
) -> tuple[str, ...]:
    """Return the channels that are stored as their writes, here or before."""
    stored = {name for name, value in values.items() if type(value).__name__ == _SNAPSHOT}
    counted = metadata.get(_COUNTERS) or {}
    return tuple(sorted({*counted, *stored, *(parent.deltas if parent else ())}))
