"""Methods that wait for disk or CPU, as coroutines that keep an event loop free."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Owner = TypeVar("Owner")
Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def twin(
    method: Callable[Concatenate[Owner, Given], Answer],
) -> Callable[Concatenate[Owner, Given], Coroutine[Any, Any, Answer]]:
    """Return a method that does the same in a thread."""

    @wraps(method)
    async def run(self: Owner, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        return await asyncio.to_thread(method, self, *args, **kwargs)

    run.__doc__ = f"Do as `{method.__name__}`, off the event loop."
    return run
