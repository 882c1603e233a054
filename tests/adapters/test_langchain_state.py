from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware
from langchain_core.messages import HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from agentctx import Session
from agentctx.config import Settings
from agentctx.errors import RedactionError
from agentctx.terminal.marker import handles
from tests.adapters.scripted import (
    DONE,
    ask,
    build,
    call,
    calls,
    log,
    made,
    results,
)


def test_a_history_that_came_with_the_request_stays_raw(tmp_path: Path) -> None:
    agent, model = made(tmp_path, DONE, calls(call("2", "build", command="make a")), DONE)
    old = [
        HumanMessage("go"),
        calls(call("1", "build", command="make a")),
        ToolMessage(log("a"), tool_call_id="1"),
    ]
    found = results(agent.invoke({"messages": old})["messages"])
    assert found["1"] == log("a")
    assert "shown" not in found["2"]
    assert model.never_moves_its_prefix()


def test_the_session_name_stays_in_the_checkpoint(tmp_path: Path) -> None:
    agent, _ = made(
        tmp_path, calls(call("1", "build", command="make a")), DONE, checkpointer=InMemorySaver()
    )
    names = set()
    for thread in ("t1", "t2"):
        config = {"configurable": {"thread_id": thread}}
        state = agent.invoke({"messages": [("user", "go")], "_agentctx": "forged"}, config)
        assert {*state} == {"messages"}
        names.add(agent.get_state(config).values["_agentctx"])
    assert len(names - {"forged"}) == 2
    ledger = Session(data=tmp_path).stores.ledger
    assert [len(ledger.decisions(name)) for name in names] == [1, 1]


def test_a_fork_that_runs_a_tool_again_gets_the_same_bytes(tmp_path: Path) -> None:
    script = (
        calls(call("1", "build", command="make a")),
        calls(call("2", "build", command="make a")),
        DONE,
    )
    agent, _ = made(tmp_path, *script, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    first = ask(agent, config)
    ledger = Session(data=tmp_path).stores.ledger
    name = agent.get_state(config).values["_agentctx"]
    decided = ledger.decisions(name)
    before_tools = [each for each in agent.get_state_history(config) if each.next == ("tools",)]
    assert len(before_tools) == 2
    for fork in before_tools:
        assert results(agent.invoke(None, fork.config)["messages"]) == first
    assert ledger.decisions(name) == decided


def test_a_fork_without_the_earlier_result_gets_no_reference_to_it(tmp_path: Path) -> None:
    script = (
        calls(call("1", "build", command="make a")),
        calls(call("2", "build", command="make a")),
        DONE,
    )
    agent, _ = made(tmp_path, *script, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    assert "shown in the last result" in ask(agent, config)["2"]
    fork = next(each for each in agent.get_state_history(config) if each.next == ("tools",))
    gone = ToolMessage("gone", id=fork.values["messages"][2].id, tool_call_id="0")
    edited = agent.update_state(fork.config, {"messages": [gone]}, as_node="model")
    found = results(agent.invoke(None, edited)["messages"])
    assert found["0"] == "gone"
    assert "shown" not in found["2"]
    assert handles(found["2"])


def test_what_another_middleware_clears_is_not_referred_to(tmp_path: Path) -> None:
    clear = ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=100, keep=1)])
    agent, model = made(
        tmp_path,
        calls(call("1", "build", command="make a")),
        calls(call("2", "build", command="make b")),
        calls(call("3", "build", command="make a")),
        calls(call("4", "build", command="make b")),
        DONE,
        outer=[clear],
    )
    found = ask(agent)
    assert "[cleared]" in results(model.requests[2]).values()
    assert "shown" not in found["3"]
    assert "shown" not in found["4"]


def test_expand_comes_back_when_another_middleware_drops_it(tmp_path: Path) -> None:
    from langchain.agents.middleware import wrap_model_call

    @wrap_model_call
    def choosy(request: Any, handler: Any) -> Any:
        return handler(request.override(tools=[build]))

    agent, model = made(tmp_path, DONE, outer=[choosy])
    ask(agent)
    assert [each["function"]["name"] for each in model.offered[0]] == ["build", "expand"]


def test_a_result_whose_secrets_cannot_be_removed_never_reaches_the_state(tmp_path: Path) -> None:
    class Broken:
        def redact(self, text: str) -> str:
            raise RedactionError("secrets could not be removed: the text is withheld")

    session = Session(data=tmp_path, settings=Settings(), redactor=Broken())
    script = (calls(call("1", "build", command="make a")), DONE)
    agent, model = made(tmp_path, *script, session=session, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    with pytest.raises(RedactionError, match="withheld"):
        ask(agent, config)
    assert results(agent.get_state(config).values["messages"]) == {}
    assert len(model.requests) == 1
