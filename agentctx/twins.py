"""Methods that wait for disk or CPU, in forms that keep an event loop free."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def twin(
    method: Callable[Concatenate[Any, Given], Answer],
) -> Callable[Concatenate[Any, Given], Coroutine[Any, Any, Answer]]:
    """Return a method that does the same in a thread."""

    @wraps(method)
    async def run(self: Any, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        return await asyncio.to_thread(method, self, *args, **kwargs)

    run.__doc__ = f"Do as `{method.__name__}`, off the event loop."
    return run


def stream(
    method: Callable[Concatenate[Any, Given], Iterator[Answer]],
) -> Callable[Concatenate[Any, Given], AsyncIterator[Answer]]:
    """Return a method that yields the same, each item made in a thread; none may be None."""

    @wraps(method)
    async def run(self: Any, /, *args: Given.args, **kwargs: Given.kwargs) -> AsyncIterator[Answer]:
        found = method(self, *args, **kwargs)
        while (each := await asyncio.to_thread(next, found, None)) is not None:
            yield each

    run.__doc__ = f"Do as `{method.__name__}`, off the event loop."
    return run
