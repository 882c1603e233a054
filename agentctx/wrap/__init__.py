"""`wrap`: one line that puts a session between an agent loop and its model."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from agentctx import config
from agentctx.errors import ConfigError
from agentctx.options import Mode, Remember
from agentctx.session import Session
from agentctx.wrap.asking import Way
from agentctx.wrap.clients import is_client, wrap_client
from agentctx.wrap.functions import wrap_function

__all__ = ["wrap"]

T = TypeVar("T")


def wrap(
    target: T,
    *,
    session: Session | None = None,
    data: Path | str | None = None,
    mode: Mode | str | None = None,
    wire: str | None = None,
    memory: Remember | str | None = None,
) -> T:
    """Return something that is used like `target`, and whose requests go through a session.

    Observations are reduced before they are sent. When the request has tools, `expand` is offered
    too; its calls are answered inside and never reach the caller, who goes on to send the history
    that he knows: what he did not see is put back into it. One call of his may so take several of
    the model, 8 rounds at most. The reply is that of the last round (a stream is that of all
    rounds, joined), its `usage` the sum of what all rounds cost. Errors of the provider come
    through as they are.

    Args:
        target: a client of `openai` or `anthropic`, sync or async; `litellm.completion` or
            `acompletion`; or any function, sync or async, from messages to a reply.
        session: the session to use; by default a new one that tells conversations apart.
        data: the data folder of the new session.
        mode: "off", "meter", "reduce" or "full", instead of what the settings say.
        wire: the format of a function's messages, where looking at them does not tell.
        memory: "off", "log" or "on", instead of what the settings say. What was done since the
            newest record is committed when the history is replaced, and by
            `wrapped.agentctx_session.close()`, or at the end of `with wrapped.agentctx_session:`.
            Without that the steps stay in the journal, where the next session finds them.

    Raises:
        ConfigError: `target` cannot be wrapped, or the settings cannot be used.
    """
    if getattr(target, "agentctx_session", None) is not None:
        raise ConfigError(f"{_name(target)} is wrapped already: wrap the original")
    if session is not None and (data, mode, memory) != (None, None, None):
        raise ConfigError(
            "a session has its data folder, mode and memory already: pass only the session"
        )
    if not is_client(target) and not callable(target):
        raise ConfigError(
            f"{_name(target)} cannot be wrapped: pass a client of openai or anthropic, or a function"
        )
    way = Way(session or _session(data, mode, memory))
    if is_client(target):
        wrapped: T = wrap_client(target, way)
        return wrapped
    return wrap_function(target, way, wire)  # type: ignore[return-value]


def _session(
    data: Path | str | None, mode: Mode | str | None, memory: Remember | str | None
) -> Session:
    settings = config.load()
    if mode is not None:
        try:
            settings = replace(settings, mode=Mode(mode))
        except ValueError:
            raise ConfigError(f"mode {str(mode)!r}: use one of {', '.join(Mode)}") from None
    return Session(data=data, settings=settings, memory=memory)


def _name(target: object) -> str:
    return str(getattr(target, "__name__", type(target).__name__))


class _Module(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        return wrap(*args, **options)


# `agentctx.wrap` is this module as soon as anything has imported it, and a function to its users
sys.modules[__name__].__class__ = _Module
