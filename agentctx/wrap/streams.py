"""Streams that look like those of the SDK, with our events in them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Self

from agentctx.wrap.drive import aclose, close
from agentctx.wrap.stand_in import StandIn


class Stream(StandIn):
    """A stream of events, closed by `close` or at the end of a `with`."""

    def __init__(self, source: Any, events: Iterator[Any]) -> None:
        super().__init__(source)
        self._agentctx_events = events

    def __iter__(self) -> Iterator[Any]:
        return self._agentctx_events

    def __next__(self) -> Any:
        return next(self._agentctx_events)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the stream of the current round, and the first one if nothing was read of it."""
        close(self._agentctx_events)
        close(self._agentctx_source)


class AsyncStream(StandIn):
    """An async stream of events, closed by `close` or at the end of an `async with`."""

    def __init__(self, source: Any, events: AsyncIterator[Any]) -> None:
        super().__init__(source)
        self._agentctx_events = events

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._agentctx_events

    async def __anext__(self) -> Any:
        return await anext(self._agentctx_events)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the stream of the current round, and the first one if nothing was read of it."""
        await aclose(self._agentctx_events)
        await aclose(self._agentctx_source)

    aclose = close
