"""LangChain 1.x: a middleware for `create_agent` that reduces tool results as they arrive.

The decision about a result is made in `wrap_tool_call`, once, before the graph stores the message:
state and checkpoints hold what the model sees, so every later request repeats it byte for byte,
after a restart and in a fork too. The original lies in the archive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Any, NotRequired, TypeAlias
from uuid import uuid4

from agentctx.errors import ConfigError, MissingExtra
from agentctx.options import Mode
from agentctx.recent import Recent
from agentctx.session import Session
from agentctx.slots import observation
from agentctx.tools import EXPAND
from agentctx.values import Kind, Slot, ToolCall

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState
    from langchain.agents.middleware.types import (
        ExtendedModelResponse,
        ModelRequest,
        ModelResponse,
        PrivateStateAttr,
        ToolCallRequest,
    )
    from langchain.tools import ToolRuntime
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import BaseTool, StructuredTool
    from langgraph.runtime import Runtime
    from langgraph.types import Command

    from agentctx.adapters.langchain_history import SEEN, before, field, seen, tool_name, usage
except ImportError as error:
    raise MissingExtra("langchain", "langchain") from error

ToolResult: TypeAlias = ToolMessage | Command[Any]
ModelResult: TypeAlias = ModelResponse[Any] | ExtendedModelResponse[Any]

_SESSIONS = 256
_NAME = "_agentctx"
_HINT = f"{EXPAND.name} {{handle}}"  # the tool is there from the first request on


class AgentctxState(AgentState[Any]):
    """What the graph keeps for us, checkpoints included; never part of its input or output.

    `_agentctx` names the session. `_agentctx_seen` holds the call ids of the tool results in the
    last request ("" for one that another middleware has altered), or None while the model sees
    all that the state holds.
    """

    _agentctx: Annotated[NotRequired[str], PrivateStateAttr]
    _agentctx_seen: Annotated[NotRequired[list[str] | None], PrivateStateAttr]


class AgentctxMiddleware(AgentMiddleware[AgentctxState, Any, Any]):
    """Shows the model a reduced form of long tool results, and gives it `expand` to see the rest.

    Text is reduced when a tool returns it as a `ToolMessage`; images, artifacts, `Command` results
    and all that was in the history before stay as they are. Put it last in the list of
    middlewares, so that it sees what those that edit a request leave for the model.
    """

    state_schema = AgentctxState

    def __init__(self, session: Session | None = None) -> None:
        """Serve any number of threads, each with a session of its own.

        Args:
            session: brings settings, data folder and redactor; if it has a name, all threads
                share it as their session's.

        Raises:
            ConfigError: the settings cannot be used.
        """
        super().__init__()
        self.session = session or Session()
        self._expand = self._expand_tool()
        edits = self.session.settings.mode in (Mode.REDUCE, Mode.FULL)
        self.tools: list[BaseTool] = [self._expand] if edits else []
        self._sessions: Recent[Session] = Recent(_SESSIONS)

    def before_agent(
        self, state: AgentctxState, runtime: Runtime[Any] | None = None
    ) -> dict[str, Any] | None:
        """Name the session of a new thread; a resumed or forked one has its name already."""
        if state.get(_NAME):
            return None
        return {_NAME: self.session.name or f"langchain-{uuid4().hex[:12]}"}

    async def abefore_agent(
        self, state: AgentctxState, runtime: Runtime[Any] | None = None
    ) -> dict[str, Any] | None:
        """Do as `before_agent`."""
        return self.before_agent(state)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolResult]
    ) -> ToolResult:
        """Return the result of a tool as the model will see it from now on.

        Raises:
            RedactionError: secrets could not be removed from it.
        """
        return self._shown(request, handler(request))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        """Do as `wrap_tool_call`, off the event loop."""
        return await asyncio.to_thread(self._shown, request, await handler(request))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResult:
        """Call the model with `expand` among its tools, and note what it cost.

        Raises:
            ConfigError: the agent has another tool named `expand`.
        """
        request = self._offered(request)
        response = handler(request)
        self._record(request, response)
        return _noted(request, response)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResult:
        """Do as `wrap_model_call`, off the event loop."""
        request = self._offered(request)
        response = await handler(request)
        await asyncio.to_thread(self._record, request, response)
        return _noted(request, response)

    def _expand_tool(self) -> StructuredTool:
        def answer(runtime: ToolRuntime | None = None, **arguments: Any) -> str:
            session = self._session(runtime.state if runtime else None)
            call = ToolCall(id="", name=EXPAND.name, arguments={"handle": "", **arguments})
            return session.handle(call) or ""

        async def aanswer(runtime: ToolRuntime | None = None, **arguments: Any) -> str:
            return await asyncio.to_thread(answer, runtime, **arguments)

        return StructuredTool.from_function(
            func=answer,
            coroutine=aanswer,
            name=EXPAND.name,
            description=EXPAND.description,
            args_schema=dict(EXPAND.parameters),
            infer_schema=False,
        )

    def _session(self, state: Any) -> Session:
        """Return the session of a thread; all share one set of stores."""
        name = field(state, _NAME)
        if not name:
            return self.session
        return self._sessions.get(name, lambda: self.session.named(name, expand_hint=_HINT))

    def _shown(self, request: ToolCallRequest, result: ToolResult) -> ToolResult:
        if not isinstance(result, ToolMessage) or request.tool is self._expand:
            return result
        content = result.content
        if isinstance(content, str):
            new: Any = self._text(request, result, content)
        else:
            new = [self._part(request, result, n, part) for n, part in enumerate(content)]
        return result if new == content else result.model_copy(update={"content": new})

    def _part(self, request: ToolCallRequest, result: ToolMessage, place: int, part: Any) -> Any:
        if isinstance(part, str):
            return self._text(request, result, part, place)
        if part.get("type") != "text" or not isinstance(part.get("text"), str):
            return part
        return {**part, "text": self._text(request, result, part["text"], place)}

    def _text(
        self, request: ToolCallRequest, result: ToolMessage, text: str, place: int = 0
    ) -> str:
        call = request.tool_call
        slot = Slot(
            path=(), kind=Kind.OBSERVATION, text=text, tool=call["name"], arguments=call["args"]
        )
        came = observation(slot)
        if result.status == "error":
            came = replace(came, exit_code=1)
        call_id = call["id"] or ""
        key = f"{call_id}#{place}" if call_id and place else call_id
        live = before(request.state, call_id)
        return self._session(request.state).observe(came, call_id=key, live=live).text

    def _offered(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        if not self.tools or not request.tools:
            return request
        found = [tool for tool in request.tools if tool_name(tool) == EXPAND.name]
        if any(getattr(tool, "func", None) is not self._expand.func for tool in found):
            raise ConfigError(f"the agent has a tool named {EXPAND.name!r} of its own: rename it")
        return request if found else request.override(tools=[*request.tools, self._expand])

    def _record(self, request: ModelRequest[Any], response: ModelResponse[Any]) -> None:
        for message in response.result:
            if isinstance(message, AIMessage) and message.usage_metadata:
                model = message.response_metadata.get("model_name") or ""
                self._session(request.state).record(usage(message), model=str(model))


def _noted(request: ModelRequest[Any], response: ModelResponse[Any]) -> ModelResult:
    """Have the state keep what the model has seen, when that is not what the state holds."""
    now = seen(request)
    if now == field(request.state, SEEN):
        return response
    return ExtendedModelResponse(model_response=response, command=Command(update={SEEN: now}))
