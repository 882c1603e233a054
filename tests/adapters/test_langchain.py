from __future__ import annotations

import threading
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest
from langchain.tools import InjectedToolCallId, tool
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, ToolException
from langgraph.types import Command

from agentctx import Session
from agentctx.adapters.langchain import AgentctxMiddleware
from agentctx.config import Settings
from agentctx.errors import ConfigError
from agentctx.options import Mode
from agentctx.terminal.marker import handles
from agentctx.values import Usage
from tests.adapters.scripted import (
    DONE,
    archived,
    ask,
    call,
    calls,
    log,
    made,
    results,
)


def test_the_state_keeps_the_reduced_result_and_the_archive_the_original(tmp_path: Path) -> None:
    agent, model = made(tmp_path, calls(call("1", "build", command="make a")), DONE)
    found = ask(agent)["1"]
    assert len(found) < len(log("a")) / 2
    assert archived(tmp_path, handles(found)[0]) == log("a")
    assert model.never_moves_its_prefix()


def test_the_model_expands_what_it_was_shown(tmp_path: Path) -> None:
    def look(messages: Any) -> AIMessage:
        return calls(call("2", "expand", handle=handles(messages[-1].content)[0], lines="900-1100"))

    agent, model = made(tmp_path, calls(call("1", "build", command="make a")), look, DONE)
    found = ask(agent)
    assert found["2"] == "".join(log("a").splitlines(keepends=True)[899:1100])
    assert model.never_moves_its_prefix()
    assert [each["function"]["name"] for each in model.offered[0]].count("expand") == 1


def test_a_bad_call_of_expand_is_answered_in_one_line(tmp_path: Path) -> None:
    script = calls(call("1", "expand", handle="beef00"), call("2", "expand", lines="1-2"))
    found = ask(made(tmp_path, script, DONE)[0])
    assert found["1"].startswith("error: ")
    assert found["2"].startswith("error: expand needs 'handle'")


def test_a_repeated_result_points_to_the_first_with_a_true_count(tmp_path: Path) -> None:
    agent, model = made(
        tmp_path,
        calls(call("1", "build", command="make a"), call("2", "expand", handle="beef00")),
        calls(call("3", "build", command="make a")),
        DONE,
    )
    assert "shown 2 results back" in ask(agent)["3"]
    assert model.never_moves_its_prefix()


def test_parallel_results_do_not_refer_to_each_other_but_count(tmp_path: Path) -> None:
    agent, _ = made(
        tmp_path,
        calls(call("1", "build", command="make a"), call("2", "build", command="make b")),
        calls(
            call("3", "build", command="make c", seconds=0.2),
            call("4", "build", command="make c"),
            call("5", "build", command="make a"),
        ),
        DONE,
    )
    found = ask(agent)
    assert "shown" not in found["3"] + found["4"]
    assert "shown 4 results back" in found["5"]


async def test_the_async_twins_decide_the_same_off_the_event_loop(tmp_path: Path) -> None:
    class Watching:
        threads: ClassVar[set[int]] = set()

        def redact(self, text: str) -> str:
            self.threads.add(threading.get_ident())
            return text

    script = (
        calls(call("1", "build", command="make a"), call("2", "build", command="make b")),
        calls(call("3", "build", command="make a"), call("4", "expand", handle="beef00")),
        DONE,
    )
    sync, _ = made(tmp_path / "sync", *script)
    session = Session(data=tmp_path / "async", settings=Settings(), redactor=Watching())
    agent, model = made(tmp_path, *script, session=session)
    state = await agent.ainvoke({"messages": [("user", "go")]})
    assert results(state["messages"]) == ask(sync)
    assert model.never_moves_its_prefix()
    assert Watching.threads
    assert threading.get_ident() not in Watching.threads


def test_what_is_not_text_passes_untouched(tmp_path: Path) -> None:
    image = {"type": "image", "base64": "aGk=", "mime_type": "image/png"}

    @tool(response_format="content_and_artifact")
    def look() -> Any:
        """Look."""
        parts = [image, {"type": "text", "text": log("a"), "id": "x"}, {"type": "text", "text": ""}]
        return [*parts, {"type": "text", "text": log("a")}], {"kept": "artifact"}

    @tool
    def move(call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Move."""
        return Command(update={"messages": [ToolMessage(log("b"), tool_call_id=call_id)]})

    agent, _ = made(tmp_path, calls(call("1", "look"), call("2", "move")), DONE, tools=[look, move])
    state = agent.invoke({"messages": [("user", "go")]})
    message = next(each for each in state["messages"] if each.type == "tool")
    assert message.artifact == {"kept": "artifact"}
    assert message.name == "look"
    assert message.content[0] == image
    assert message.content[1]["id"] == "x"
    assert message.content[2] == {"type": "text", "text": ""}
    assert archived(tmp_path, handles(message.content[1]["text"])[0]) == log("a")
    assert archived(tmp_path, handles(message.content[3]["text"])[0]) == log("a")
    assert results(state["messages"])["2"] == log("b")


def test_an_error_keeps_its_status_and_its_evidence(tmp_path: Path) -> None:
    @tool
    def fail() -> str:
        """Fail."""
        raise ToolException(log("a", 4_000) + "error: no rule to make target\n" + log("b", 4_000))

    fail.handle_tool_error = True
    agent, _ = made(tmp_path, calls(call("1", "fail")), DONE, tools=[fail])
    state = agent.invoke({"messages": [("user", "go")]})
    message = next(each for each in state["messages"] if each.type == "tool")
    assert message.status == "error"
    assert "error: no rule to make target" in message.content.splitlines()
    assert handles(message.content)


def test_a_namesake_of_expand_is_refused(tmp_path: Path) -> None:
    @tool
    def expand(handle: str) -> str:
        """Expand something else."""
        return handle

    with pytest.raises(ConfigError, match="rename it"):
        ask(made(tmp_path, DONE, tools=[expand])[0])


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.METER])
def test_a_mode_that_edits_nothing_leaves_results_and_tools_alone(
    tmp_path: Path, mode: Mode
) -> None:
    session = Session(data=tmp_path, settings=Settings(mode=mode))
    agent, model = made(
        tmp_path, calls(call("1", "build", command="make a")), DONE, session=session
    )
    assert ask(agent)["1"] == log("a")
    assert [each["function"]["name"] for each in model.offered[0]] == ["build"]


def test_usage_is_recorded_for_the_session_of_the_thread(tmp_path: Path) -> None:
    spent: Any = {"input_tokens": 1_000, "output_tokens": 7, "total_tokens": 1_007}
    spent |= {"input_token_details": {"cache_read": 600, "cache_creation": 300}}
    last = AIMessage("done", usage_metadata=spent, response_metadata={"model_name": "m-1"})
    session = Session("mine", data=tmp_path, settings=Settings())
    ask(made(tmp_path, last, session=session)[0])
    (found,) = session.stores.ledger.calls("mine")
    assert found.usage == Usage(input=100, cache_read=600, cache_write=300, output=7)
    assert found.model == "m-1"


def test_the_tool_answers_outside_of_a_graph_too(tmp_path: Path) -> None:
    middleware = AgentctxMiddleware(Session(data=tmp_path, settings=Settings()))
    (only,) = middleware.tools
    assert isinstance(only, BaseTool)
    assert only.invoke({"handle": "beef00"}).startswith("error: ")
