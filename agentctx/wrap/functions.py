"""Functions from messages to a reply, `litellm.completion` among them, behind a session."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import WRAPPER_ASSIGNMENTS, partial, wraps
from typing import Any

from agentctx import wire
from agentctx.errors import WireError
from agentctx.values import Payload
from agentctx.wrap.asking import Way

Function = Callable[..., Any]


def wrap_function(function: Any, way: Way, name: str | None = None) -> Function:
    """Return a function that is called like the original, through a session.

    Args:
        function: takes messages, as `messages`, `input` or its first argument, and options; returns
            a reply, or with `stream=True` an iterable of chunks.
        way: the session to go through.
        name: the wire of its messages; the default is to look.
    """
    set_args, set_options = (), {}
    if isinstance(function, partial):
        function, set_args, set_options = function.func, function.args, function.keywords
    names = _positional(function)
    given = [label for label in WRAPPER_ASSIGNMENTS if hasattr(function, label)]

    def through(*args: Any, **options: Any) -> Any:
        shape = _Arguments(names, (*set_args, *args), {**set_options, **options})
        spoken = _wire(function, shape.payload, name) if way.open else None
        if spoken is None:
            return shape.caller(function)(shape.payload)
        return way.ask(spoken, shape.payload, shape.caller(function))

    async def athrough(*args: Any, **options: Any) -> Any:
        shape = _Arguments(names, (*set_args, *args), {**set_options, **options})
        spoken = _wire(function, shape.payload, name) if way.open else None
        if spoken is None:
            return await shape.caller(function)(shape.payload)
        return await way.aask(spoken, shape.payload, shape.caller(function))

    made: Any = wraps(function, assigned=given)(athrough if _is_async(function) else through)
    made.agentctx_session = way.session
    return made  # type: ignore[no-any-return]


class _Arguments:
    """The arguments of one call as a request body, and back."""

    def __init__(
        self, names: Sequence[str], args: Sequence[Any], options: Mapping[str, Any]
    ) -> None:
        self._names = [*names[: len(args)], *map(str, range(len(names), len(args)))]
        self._alias = ""
        self.payload: Payload = {**dict(zip(self._names, args, strict=True)), **options}
        if not {"messages", "input"} & self.payload.keys() and args:
            self._alias = self._names[0]
            self.payload["messages"] = self.payload.pop(self._alias)

    def caller(self, function: Function) -> Function:
        """Return `function` as a function of a request body."""

        def call(payload: Payload) -> Any:
            body = dict(payload)
            if self._alias:
                body = {self._alias: body.pop("messages"), **body}
            args = [body.pop(name) for name in self._names]
            return function(*args, **body)

        return call


def _positional(function: Function) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # written in C, or it hides its signature
        return []
    return [each.name for each in parameters if each.kind in kinds]


def _is_async(function: Function) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - an object with an async `__call__`
    )


def _wire(function: Function, payload: Payload, name: str | None) -> str | None:
    """Return the wire of a call; None when its arguments hold no history."""
    if not isinstance(payload.get("messages", payload.get("input")), list | tuple | str):
        return None
    if "messages" in payload and isinstance(payload["messages"], str):
        return None
    home = str(getattr(function, "__module__", None)).partition(".")[0]
    if name or home in ("litellm", "anthropic"):
        return name or ("anthropic" if home == "anthropic" else _chat_or_responses(payload))
    try:
        return wire.detect(payload)
    except WireError:
        return None


def _chat_or_responses(payload: Payload) -> str:
    return "openai_chat" if "messages" in payload else "openai_responses"
