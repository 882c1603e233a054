"""Streams that look like those of the SDK, with our events in them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any, Self

from agentctx.wrap.drive import aclose, close


class _Proxy:
    """Passes for the stream that it stands for, whatever attribute is asked."""

    def __init__(self, source: Any, events: Any) -> None:
        self._agentctx_source = source
        self._agentctx_events = events

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the SDK's own stream, that of the first round."""
        if name.startswith("_agentctx"):
            raise AttributeError(name)
        return getattr(self._agentctx_source, name)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # isinstance() asks here
        return type(self._agentctx_source)


class Stream(_Proxy):
    """A stream of events, closed by `close` or at the end of a `with`."""

    _agentctx_events: Iterator[Any]

    def __iter__(self) -> Iterator[Any]:
        return self._agentctx_events

    def __next__(self) -> Any:
        return next(self._agentctx_events)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the stream of the current round, and the first one if nothing was read of it."""
        close(self._agentctx_events)
        close(self._agentctx_source)


class AsyncStream(_Proxy):
    """An async stream of events, closed by `close` or at the end of an `async with`."""

    _agentctx_events: AsyncIterator[Any]

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._agentctx_events

    async def __anext__(self) -> Any:
        return await anext(self._agentctx_events)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the stream of the current round, and the first one if nothing was read of it."""
        await aclose(self._agentctx_events)
        await aclose(self._agentctx_source)

    aclose = close
