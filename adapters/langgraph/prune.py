"""Deleting checkpoints without emptying those that stay: what a delta channel is rebuilt from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from agentctx.adapters.langgraph import texts as texts
from agentctx.adapters.langgraph import thread as thread
from agentctx.adapters.langgraph.texts import Slot
from agentctx.adapters.langgraph.thread import Entry, Files, View, Write


@dataclass(slots=True)
class History:
    """What one channel holds at a checkpoint: the nearest stored value, then later writes."""

    seed: Slot | None = None
    writes: list[Write] = field(default_factory=list)


def history(view: View, entry: Entry, channels: Sequence[str]) -> dict[str, History]:
    """Return what rebuilds these channels at a checkpoint, its own writes excluded."""
    found = {channel: History() for channel in channels}
    missing = set(channels)
    for before in view.line(entry):
        if not missing:
            break
        for write in reversed(view.writes(before.name)):
            if write.channel in missing:
                found[write.channel].writes.insert(0, write)
        for channel in missing & before.values.keys():
            found[channel].seed = before.values[channel][1]
        missing -= before.values.keys()
    return found


def without(view: View, doomed: Callable[[Entry], bool]) -> Files | None:
    """Return what to change so that these checkpoints are gone, None when no others are left.

    A deleted one from which a later one's delta channels are rebuilt stays as a hidden entry that
    holds these channels alone.
    """
    entries = {entry.name: entry for entry in view.entries()}
    shown = {name: entry for name, entry in entries.items() if not entry.hidden}
    kept = {name: entry for name, entry in shown.items() if not doomed(entry)}
    if not kept or kept == shown:
        return {} if kept == shown else None
    needed = _needed(view, kept)
    shells = {name: _shell(entries[name], needed[name]) for name in entries.keys() & needed.keys()}
    files: Files = {thread.entry_path(name): None for name in entries.keys() - kept.keys()}
    for shell in shells.values():
        files |= thread.entry_files(shell)
    files |= _latest(entries.values(), kept.values())
    writes = dict(_writes(view, entries.keys() - kept.keys(), needed))
    for path, left in writes.items():
        files |= thread.writes_files(path, left)
    return files | _unused(view, [*kept.values(), *shells.values()], writes)


def newest(entries: Iterable[Entry]) -> set[str]:
    """Return the name of the latest checkpoint of each namespace."""
    latest: dict[str, Entry] = {}
    for entry in entries:
        if not entry.hidden and (entry.ns not in latest or latest[entry.ns].id < entry.id):
            latest[entry.ns] = entry
    return {entry.name for entry in latest.values()}


def _needed(view: View, kept: dict[str, Entry]) -> dict[str, set[str]]:
    """Return name → channels, for what is deleted and rebuilt from."""
    needed: dict[str, set[str]] = {}
    for entry in kept.values():
        missing = set(entry.deltas) - entry.values.keys()
        for before in view.line(entry):
            if not missing or (before.name in kept and missing <= set(before.deltas)):
                break
            if before.name not in kept:
                needed.setdefault(before.name, set()).update(missing)
            missing -= before.values.keys()
    return needed


def _shell(entry: Entry, channels: set[str]) -> Entry:
    values = {channel: value for channel, value in entry.values.items() if channel in channels}
    return replace(entry, checkpoint="", metadata="", values=values, run="", hidden=True)


def _latest(before: Iterable[Entry], after: Iterable[Entry]) -> Files:
    files: Files = {thread.latest_path(entry.ns): None for entry in before if not entry.hidden}
    for entry in sorted(after, key=lambda entry: entry.id):
        files |= thread.latest_files(entry.ns, entry.id)
    return files


def _writes(
    view: View, gone: Iterable[str], needed: dict[str, set[str]]
) -> Iterator[tuple[str, list[Write]]]:
    """Yield the files of writes on deleted checkpoints, and which of them are needed."""
    for name in gone:
        for path in view.files(thread.writes_folder(name)):
            channels = needed.get(name, set())
            yield path, [one for one in view.written(path) if one.channel in channels]


def _unused(view: View, entries: Iterable[Entry], writes: dict[str, list[Write]]) -> Files:
    """Return the values that nothing holds any more."""
    slots: list[Slot] = []
    for entry in entries:
        slots += [entry.checkpoint, entry.metadata, *(slot for _, slot in entry.values.values())]
    for path in view.files(thread.WRITES):
        left = writes[path] if path in writes else view.written(path)
        slots += [one.value for one in left]
    used = {path for slot in slots for path in texts.paths(slot)}
    return {path: None for path in view.files(texts.VALUES) if path not in used}
