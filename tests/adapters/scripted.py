"""A LangChain chat model that follows a script and keeps what it was asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from langchain.agents import create_agent
from langchain.tools import tool
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from agentctx import Session
from agentctx.adapters.langchain import AgentctxMiddleware
from agentctx.config import Settings

Line: TypeAlias = AIMessage | Callable[[list[BaseMessage]], AIMessage]


class Scripted(BaseChatModel):
    """Gives the reply that comes after as many assistant turns as the request shows."""

    script: list[Any]
    requests: list[list[BaseMessage]] = Field(default_factory=list)
    offered: list[list[dict[str, Any]]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Scripted:
        self.offered.append([convert_to_openai_tool(tool) for tool in tools])
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        self.requests.append([message.model_copy(deep=True) for message in messages])
        line = self.script[sum(isinstance(message, AIMessage) for message in messages)]
        reply = line if isinstance(line, AIMessage) else line(messages)
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def never_moves_its_prefix(self) -> bool:
        """Tell whether each request begins with the whole of the one before."""
        sent = [[each.model_dump_json() for each in request] for request in self.requests]
        tools = [repr(each) for each in self.offered]
        return len({*tools}) <= 1 and all(
            later[: len(sooner)] == sooner for sooner, later in pairwise(sent)
        )


def call(call_id: str, name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "name": name, "args": arguments}


def calls(*each: dict[str, Any], **more: Any) -> AIMessage:
    return AIMessage("", tool_calls=list(each), **more)


def results(messages: list[AnyMessage]) -> dict[str, Any]:
    """Return the content of each tool result by its call id."""
    return {m.tool_call_id: m.content for m in messages if m.type == "tool"}


def log(name: str, lines: int = 2_000) -> str:
    """Return what a long, dull build prints."""
    return "".join(f"part {n} of {lines}: {name}_{n * 7919 % 9973}.c\n" for n in range(lines))


DONE = AIMessage("done")


@tool
def build(command: str, seconds: float = 0.0) -> str:
    """Build something."""
    time.sleep(seconds)
    return log(command.split()[-1])


def made(data: Path, *script: Any, tools: Any = (build,), **options: Any) -> tuple[Any, Scripted]:
    session = Session(data=data, settings=Settings())
    model = Scripted(script=list(script))
    outer = options.pop("outer", [])
    middleware = [*outer, AgentctxMiddleware(options.pop("session", session))]
    return create_agent(model, list(tools), middleware=middleware, **options), model


def ask(agent: Any, config: Any = None) -> dict[str, Any]:
    return results(agent.invoke({"messages": [("user", "go")]}, config)["messages"])


def archived(data: Path, handle: str) -> str:
    stores = Session(data=data).stores
    return stores.archive.read(stores.resolve(handle)).decode()
