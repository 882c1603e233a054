"""Real graphs over the checkpointer: stopped, resumed elsewhere, forked, turned back, pruned."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.config import get_store
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from agentctx.adapters.langgraph import AgentctxSaver, AgentctxStore
from tests.processes import run

ASKING = """
import json, operator, sys
from typing import Annotated, TypedDict
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from agentctx.adapters.langgraph import AgentctxSaver

folder, answer = sys.argv[1], sys.argv[2]

class State(TypedDict):
    said: Annotated[list[str], operator.add]

def plan(state):
    open(folder + "/planned", "a").write("x")
    return {"said": ["planned"]}

def ask(state):
    return {"said": [interrupt("deploy?")]}

builder = StateGraph(State)
builder.add_node(plan)
builder.add_node(ask)
builder.add_edge(START, "plan")
builder.add_edge("plan", "ask")
graph = builder.compile(checkpointer=AgentctxSaver(folder))
config = {"configurable": {"thread_id": "t"}}
given = Command(resume=answer) if answer else {"said": ["go"]}
found = graph.invoke(given, config)
asked = [each.value for each in found.get("__interrupt__", ())]
print(json.dumps({"said": found["said"], "asked": asked}))
"""


class State(TypedDict):
    said: Annotated[list[str], operator.add]


def folded(state: list[str], writes: Sequence[list[str]]) -> list[str]:
    return [*state, *(each for write in writes for each in write)]


class Deltas(TypedDict):
    said: Annotated[list[str], DeltaChannel(folded, snapshot_frequency=4)]


class Sparse(TypedDict):
    said: Annotated[list[str], DeltaChannel(folded, snapshot_frequency=50)]


def graph_of(saver: AgentctxSaver, state: Any = State, **options: Any) -> Any:
    def answer(state: Any) -> dict[str, list[str]]:
        return {"said": [f"answer {len(state['said'])}"]}

    builder = StateGraph(state)
    builder.add_node(answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return builder.compile(checkpointer=saver, **options)


def on(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


def say(graph: Any, config: Any, *texts: str, **options: Any) -> list[str]:
    said: list[str] = []
    for text in texts:
        said = graph.invoke({"said": [text]}, config, **options)["said"]
    return said


def test_an_interrupted_graph_is_resumed_by_another_process(tmp_path: Path) -> None:
    stopped = run(ASKING, tmp_path, "")
    assert stopped == {"said": ["go", "planned"], "asked": ["deploy?"]}
    resumed = run(ASKING, tmp_path, "yes")
    assert resumed == {"said": ["go", "planned", "yes"], "asked": []}
    assert (tmp_path / "planned").read_text() == "x"


def test_a_graph_goes_on_from_any_earlier_checkpoint(tmp_path: Path) -> None:
    graph = graph_of(AgentctxSaver(tmp_path))
    say(graph, on("t"), "a", "b")
    states = list(graph.get_state_history(on("t")))
    early = next(s for s in states if s.values["said"] == ["a", "answer 1"])
    assert say(graph, early.config, "c") == ["a", "answer 1", "c", "answer 3"]
    assert [s.values["said"] for s in states] == [
        s.values["said"] for s in list(graph.get_state_history(on("t")))[-len(states) :]
    ]
    graph.update_state(early.config, {"said": ["corrected"]})
    assert graph.get_state(on("t")).values["said"] == ["a", "answer 1", "corrected"]


def test_a_copied_thread_diverges(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    graph = graph_of(saver)
    say(graph, on("a"), "one")
    saver.copy_thread("a", "b")
    assert say(graph, on("a"), "left") == ["one", "answer 1", "left", "answer 3"]
    assert say(graph, on("b"), "right") == ["one", "answer 1", "right", "answer 3"]
    assert graph.get_state(on("a")).values["said"][2] == "left"
    assert len(list(graph.get_state_history(on("a")))) == len(
        list(graph.get_state_history(on("b")))
    )


@pytest.mark.parametrize("durability", ["sync", "exit"])
@pytest.mark.parametrize("turns", [1, 3, 7])
def test_pruning_never_empties_a_delta_channel(turns: int, durability: str, tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    graph = graph_of(saver, Deltas)
    said = say(graph, on("t"), *"abcdefg"[:turns], durability=durability)
    saver.prune(["t"])
    assert len(list(saver.list(on("t")))) == 1
    assert graph.get_state(on("t")).values["said"] == said
    again = graph_of(AgentctxSaver(tmp_path), Deltas)
    assert say(again, on("t"), "more")[:-1] == [*said, "more"]
    saver.prune(["t"])
    assert graph.get_state(on("t")).values["said"][:-1] == [*said, "more"]


def test_deleting_a_run_leaves_later_runs_their_delta_channels(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    graph = graph_of(saver, Sparse)
    say(graph, {**on("t"), "metadata": {"run_id": "first"}}, "a")
    said = say(graph, {**on("t"), "metadata": {"run_id": "second"}}, "b")
    runs = {found.metadata.get("run_id") for found in saver.list(on("t"))}
    assert runs == {"first", "second"}
    saver.delete_for_runs(["first"])
    assert {found.metadata.get("run_id") for found in saver.list(on("t"))} == {"second"}
    assert graph.get_state(on("t")).values["said"] == said
    assert say(graph, on("t"), "c") == [*said, "c", "answer 5"]


def test_a_pruned_head_that_is_copied_by_an_update_keeps_its_delta_channel(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    graph = graph_of(saver, Sparse)
    said = say(graph, on("t"), "a", "b")
    saver.prune(["t"])
    graph.update_state(graph.get_state(on("t")).config, None, as_node="__copy__")
    assert graph.get_state(on("t")).values["said"] == said


def test_a_copied_thread_has_its_delta_channels_without_the_first_one(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)
    graph = graph_of(saver, Sparse)
    said = say(graph, on("a"), "a", "b", "c")
    saver.copy_thread("a", "b")
    saver.delete_thread("a")
    assert graph.get_state(on("b")).values["said"] == said


async def test_a_graph_runs_and_is_interrupted_asynchronously(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)

    def ask(state: State) -> dict[str, list[str]]:
        return {"said": [interrupt("why?")]}

    builder = StateGraph(State)
    builder.add_node(ask)
    builder.add_edge(START, "ask")
    graph: Any = builder.compile(checkpointer=saver)
    await graph.ainvoke({"said": ["a"]}, on("t"))
    found = await graph.ainvoke(Command(resume="so"), on("t"))
    assert found["said"] == ["a", "so"]
    history = [state async for state in graph.aget_state_history(on("t"))]
    assert len(history) == len(list(saver.list(on("t"))))


def test_a_subgraph_keeps_its_own_namespace(tmp_path: Path) -> None:
    saver = AgentctxSaver(tmp_path)

    def ask(state: State) -> dict[str, list[str]]:
        return {"said": [interrupt("inner?")]}

    inner = StateGraph(State)
    inner.add_node(ask)
    inner.add_edge(START, "ask")
    outer = StateGraph(State)
    outer.add_node("inner", inner.compile())
    outer.add_edge(START, "inner")
    graph: Any = outer.compile(checkpointer=saver)
    graph.invoke({"said": ["a"]}, on("t"))
    spaces = {found.config["configurable"]["checkpoint_ns"] for found in saver.list(on("t"))}
    assert len(spaces) == 2
    assert graph.invoke(Command(resume="b"), on("t"))["said"][-1] == "b"


def test_a_node_reads_what_an_earlier_thread_put_into_the_store(tmp_path: Path) -> None:
    saver, store = AgentctxSaver(tmp_path), AgentctxStore(tmp_path)

    def note(state: State) -> dict[str, list[str]]:
        store = get_store()
        known = [item.value["said"] for item in store.search(("user",))]
        store.put(("user",), f"n{len(known)}", {"said": state["said"][0]})
        return {"said": known}

    builder = StateGraph(State)
    builder.add_node(note)
    builder.add_edge(START, "note")
    graph: Any = builder.compile(checkpointer=saver, store=store)
    graph.invoke({"said": ["likes tea"]}, on("a"))
    assert graph.invoke({"said": ["hello"]}, on("b"))["said"] == ["hello", "likes tea"]


def test_a_seed_written_by_hand_survives_pruning(tmp_path: Path) -> None:
    from langgraph.checkpoint.serde.types import _DeltaSnapshot

    saver = AgentctxSaver(tmp_path)
    config = on("t")
    for number in range(3):
        seed = {"x": _DeltaSnapshot(["seed"])} if number == 0 else {}
        parts = {"id": str(number), "channel_values": seed, "channel_versions": {"x": number}}
        config = saver.put(config, {**empty_checkpoint(), **parts}, {}, {"x": number})  # type: ignore[typeddict-item]
        saver.put_writes(config, [("x", number), ("other", number)], "task")
    saver.prune(["t"])
    found = saver.get_delta_channel_history(config=config, channels=["x", "none"])
    assert found["none"] == {"writes": []}
    assert found["x"]["writes"] == [("task", "x", 0), ("task", "x", 1)]
    assert found["x"]["seed"].value == ["seed"]
