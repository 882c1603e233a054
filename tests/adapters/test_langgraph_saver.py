from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance.capabilities import Capability
from langgraph.checkpoint.conformance.initializer import checkpointer_test
from langgraph.checkpoint.conformance.validate import validate
from langgraph.checkpoint.memory import InMemorySaver

from agentctx.adapters.langgraph import AgentctxSaver
from agentctx.errors import ConfigError, MemoryStoreError, UnknownMemory

TEXTS = st.sampled_from(["", "a", "A", "../x", "ns:1|ns:2", "ü\u0000\n", "\ud800", "a" * 300])


def at(thread: Any, ns: str = "", id: str = "") -> Any:
    names = {"thread_id": thread, "checkpoint_ns": ns}
    return {"configurable": {**names, "checkpoint_id": id} if id else names}


def put(saver: Any, config: Any, id: str, values: dict[str, Any], **metadata: Any) -> Any:
    """Store a checkpoint whose every channel is new."""
    versions = dict.fromkeys(values, f"{id}.0")
    parts = {"id": id, "ts": "2026-01-01", "channel_values": values, "channel_versions": versions}
    return saver.put(config, {**empty_checkpoint(), **parts}, metadata, versions)


def ids(saver: Any, config: Any, **options: Any) -> list[str]:
    return [found.checkpoint["id"] for found in saver.list(config, **options)]


async def test_langgraphs_own_conformance_tests_pass_for_every_capability(tmp_path: Path) -> None:
    made: list[int] = []

    @checkpointer_test(name="AgentctxSaver")
    async def fresh() -> AsyncIterator[AgentctxSaver]:
        made.append(len(made))
        saver = AgentctxSaver(tmp_path / str(len(made)))
        yield saver
        saver.close()

    report = await validate(fresh)
    assert set(report.results) == {capability.value for capability in Capability}
    assert [f for result in report.results.values() for f in result.failures] == []
    assert all(result.detected and result.passed for result in report.results.values())
    assert sum(result.tests_passed for result in report.results.values()) >= 81


VALUES = st.binary() | st.text(max_size=20) | st.integers(0, 700).map(lambda size: ["long " * size])
WRITES = st.lists(st.tuples(st.sampled_from(["a", "__error__"]), st.integers(0, 9)), max_size=3)


@settings(max_examples=settings.default.max_examples // 4)  # each opens a store of its own
@given(data=st.data())
def test_it_answers_as_the_saver_in_memory_does(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ours, model = AgentctxSaver(tmp_path_factory.mktemp("data")), InMemorySaver()
    known: list[Any] = []
    for number in range(data.draw(st.integers(1, 5))):
        parent = data.draw(st.sampled_from([at(data.draw(TEXTS), data.draw(TEXTS)), *known]))
        values = data.draw(st.dictionaries(st.sampled_from("abc"), VALUES))
        step, task = data.draw(st.integers(0, 2)), data.draw(st.sampled_from("tu"))
        written, path = data.draw(WRITES), data.draw(st.sampled_from(["", "~p", "a"]))
        known.append(put(ours, parent, f"{number:04}", values, step=step))
        assert put(model, parent, f"{number:04}", values, step=step) == known[-1]
        target = data.draw(st.sampled_from(known))
        for saver in (ours, model):
            saver.put_writes(target, written, task, path)
    for config in known:
        space = at(config["configurable"]["thread_id"], config["configurable"]["checkpoint_ns"])
        for asked in (config, space):
            assert shown(ours.get_tuple(asked)) == shown(model.get_tuple(asked))
        for options in ({}, {"limit": 1}, {"before": known[-1]}, {"filter": {"step": 1}}):
            assert ids(ours, space, **options) == ids(model, space, **options)
    every = sorted(repr(shown(found)) for found in model.list(None))
    assert sorted(repr(shown(found)) for found in ours.list(None)) == every
    ours.close()


def shown(found: Any) -> Any:
    if found is None:
        return None
    place = found.config["configurable"]
    names = (str(place["thread_id"]), place.get("checkpoint_ns", ""), found.checkpoint["id"])
    before = found.parent_config and found.parent_config["configurable"]
    return names, found.checkpoint, found.metadata, before, found.pending_writes


@pytest.mark.parametrize("thread", ["a", "A", "../../x", "a/b", "", "ü\n\u0000", "x" * 5_000, 7])
def test_a_thread_may_be_called_anything(thread: Any, tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    put(saver, at("other"), "1", {"x": 0})
    put(saver, at(thread), "1", {"x": 1})
    assert saver.get_tuple(at(thread)).checkpoint["channel_values"] == {"x": 1}
    found = {c.config["configurable"]["thread_id"] for c in saver.list(None)}
    assert found == {"other", str(thread)}


@pytest.mark.parametrize("value", [b"\x00\xff" * 1_500_000, "ü" * 1_500_000, ["x" * 3_000_000]])
def test_values_of_several_mebibytes_come_back(value: Any, tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    config = put(saver, at("t"), "1", {"x": value})
    saver.put_writes(config, [("x", value)], "task")
    found = AgentctxSaver(tmp_path).get_tuple(at("t"))
    assert found.checkpoint["channel_values"] == {"x": value}
    assert found.pending_writes == [("task", "x", value)]


def test_a_copy_is_one_commit_and_goes_its_own_way(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    for number in range(5):
        put(saver, at("a"), str(number), {"x": number})
    store = saver._threads.store
    before = {node.hash for tip in store.branches().values() for node in store.walk(tip)}
    saver.copy_thread("a", "b")
    after = {node.hash for tip in store.branches().values() for node in store.walk(tip)}
    assert len(after - before) == 1
    put(saver, at("b"), "9", {"x": "b"})
    assert ids(saver, at("a")) == ["4", "3", "2", "1", "0"]
    assert ids(saver, at("b")) == ["9", "4", "3", "2", "1", "0"]
    saver.delete_thread("a")
    assert ids(saver, at("b"), limit=2) == ["9", "4"]
    assert saver.get_tuple(at("b", id="2")).checkpoint["channel_values"] == {"x": 2}


def test_copying_from_nothing_or_onto_something_is_refused(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    with pytest.raises(UnknownMemory, match="thread 'a' has no checkpoints: "):
        saver.copy_thread("a", "b")
    put(saver, at("a"), "1", {})
    put(saver, at("b"), "2", {})
    with pytest.raises(MemoryStoreError, match="thread 'b' exists: "):
        saver.copy_thread("a", "b")
    assert ids(saver, at("b")) == ["2"]


def test_what_is_pruned_leaves_no_text_in_what_the_thread_reaches(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    first = put(saver, at("t"), "1", {"x": "secret " * 300})
    saver.put_writes(first, [("x", "secret " * 300)], "task")
    put(saver, first, "2", {"x": "kept " * 300})
    saver.prune(["t"])
    store = saver._threads.store
    nodes = [node.hash for tip in store.branches().values() for node in store.walk(tip)]
    held = [store.read(node, path) or "" for node in nodes for path in store.files(node)]
    assert any("kept " in text for text in held)
    assert not any("secret" in text for text in held)


def test_an_unknown_strategy_and_a_config_without_a_thread_are_refused(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    with pytest.raises(ConfigError, match="strategy 'keep_first' is unknown: use keep_latest or"):
        saver.prune(["t"], strategy="keep_first")
    with pytest.raises(ConfigError, match="config without a thread: "):
        saver.get_tuple({"configurable": {}})


def test_what_cannot_be_serialized_is_refused_and_not_pickled(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    with pytest.raises(TypeError):
        put(saver, at("t"), "1", {"x": object()})
    assert saver.get_tuple(at("t")) is None
    assert not saver.serde.pickle_fallback


async def test_the_event_loop_runs_on_while_a_writer_waits(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    with saver._threads.store.transaction("held"):
        putting = asyncio.create_task(
            saver.aput(at("t"), {**empty_checkpoint(), "id": "1"}, {}, {})
        )
        await asyncio.sleep(0.05)
        assert not putting.done()
    config = await putting
    await asyncio.gather(*(saver.aput_writes(config, [("x", n)], str(n)) for n in range(8)))
    found = await saver.aget_tuple(at("t"))
    assert found is not None
    assert [value for _, _, value in found.pending_writes or ()] == list(range(8))


def test_versions_grow_and_differ_between_forks(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    first = saver.get_next_version(None, None)
    forks = {saver.get_next_version(first, None) for _ in range(20)}
    assert len(forks) == 20
    assert first < min(forks)
    assert saver.get_next_version(7, None) > max(forks)


def test_a_thread_is_readable_with_git_alone(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    put(saver, at("my thread"), "1", {"x": ["hello " * 100]}, source="loop", step=3)
    store = saver._threads.store
    (tip,) = store.branches().values()
    assert store.node(tip).title == "loop step 3"
    assert json.loads(store.read(tip, "thread.json") or "") == {"thread": "my thread"}
    assert any("hello hello" in (store.read(tip, path) or "") for path in store.files(tip, "v"))
