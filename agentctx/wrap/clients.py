"""The clients of the OpenAI and Anthropic SDKs, with a session between them and the wire."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from agentctx.values import Payload
from agentctx.wrap.asking import Way
from agentctx.wrap.stand_in import StandIn

_SDKS: Final = frozenset({"openai", "anthropic"})
_WIRES: Final = {
    "/chat/completions": "openai_chat",
    "/responses": "openai_responses",
    "/v1/messages": "anthropic",
}
_RAW_HEADER: Final = "x-stainless-raw-response"


def is_client(target: Any) -> bool:
    """Say whether an object is a client of one of the SDKs, or of a class derived from one."""
    homes = {cls.__module__.partition(".")[0] for cls in type(target).__mro__}
    return not isinstance(target, type) and hasattr(target, "post") and bool(homes & _SDKS)


def wrap_client(client: Any, way: Way) -> Any:
    """Return a twin of a client whose requests go through a session.

    It shares the connections of the original and is of the same class. All methods end in `post`:
    `create`, `parse`, `stream`, those with raw responses and the beta ones.
    """
    twin = copy.copy(client)
    for name in [name for name in vars(twin) if _is_cached(client, name)]:
        del vars(twin)[name]  # resources hold the `post` of the client that made them
    post = client.post
    twin.post = _async_post(post, way) if inspect.iscoroutinefunction(post) else _post(post, way)

    def derive(*args: Any, **options: Any) -> Any:
        return wrap_client(client.copy(*args, **options), way)

    twin.copy = twin.with_options = derive
    twin.agentctx_session = way.session
    return twin


class RawReply(StandIn):
    """A raw response whose `parse` gives what the caller may see."""

    def __init__(self, raw: Any, parsed: Any) -> None:
        super().__init__(raw)
        self._agentctx_parsed = parsed

    def parse(self, *, to: Any = None) -> Any:
        """Return the reply; `to` another type parses what the provider sent last."""
        return self._agentctx_parsed if to is None else self._agentctx_source.parse(to=to)


class AsyncRawReply(RawReply):
    """A raw response of an SDK whose `parse` is awaited."""

    async def parse(self, *, to: Any = None) -> Any:
        """Return the reply; `to` another type parses what the provider sent last."""
        return super().parse() if to is None else await self._agentctx_source.parse(to=to)


def _is_cached(client: Any, name: str) -> bool:
    return isinstance(getattr(type(client), name, None), cached_property)


def _post(post: Any, way: Way) -> Any:
    def through(path: str, **options: Any) -> Any:
        wire = _wire(path, options) if way.open else None
        if wire is None:
            return post(path, **options)
        raws: list[Any] = []

        def call(payload: Payload) -> Any:
            reply = post(path, **_sending(options, payload))
            if _raw(options):
                raws.append(reply)
                return reply.parse()
            return reply

        seen = way.ask(wire, options["body"], call)
        return RawReply(raws[-1], seen) if raws else seen

    return through


def _async_post(post: Any, way: Way) -> Any:
    async def through(path: str, **options: Any) -> Any:
        wire = _wire(path, options) if way.open else None
        if wire is None:
            return await post(path, **options)
        raws: list[Any] = []
        awaited = False

        async def call(payload: Payload) -> Any:
            nonlocal awaited
            reply = await post(path, **_sending(options, payload))
            if not _raw(options):
                return reply
            raws.append(reply)
            parsed = reply.parse()
            awaited = inspect.isawaitable(parsed)
            return await parsed if awaited else parsed

        seen = await way.aask(wire, options["body"], call)
        if not raws:
            return seen
        return AsyncRawReply(raws[-1], seen) if awaited else RawReply(raws[-1], seen)

    return through


def _wire(path: str, options: Mapping[str, Any]) -> str | None:
    """Return the wire of a request that is ours to handle."""
    if not isinstance(options.get("body"), dict) or _raw(options) == "stream":
        return None  # whoever reads the bytes himself gets them as they come
    return _WIRES.get(path.partition("?")[0])


def _raw(options: Mapping[str, Any]) -> str:
    headers = (options.get("options") or {}).get("headers")
    found = headers if isinstance(headers, Mapping) else {}
    return next((str(found[name]) for name in found if name.lower() == _RAW_HEADER), "")


def _sending(options: Mapping[str, Any], payload: Payload) -> dict[str, Any]:
    """Return the arguments of a round; a key for the caller's own request is not for the next."""
    sent = {**options, "body": payload}
    inner = options.get("options") or {}
    if payload is not options["body"] and "idempotency_key" in inner:
        sent["options"] = {k: v for k, v in inner.items() if k != "idempotency_key"}
    return sent
