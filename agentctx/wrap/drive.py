"""The loop of rounds, written once: it yields what is to be done, drivers do it or await it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from agentctx.values import Payload
from agentctx.wrap.shape import added, field
from agentctx.wrap.spoken import Weaver
from agentctx.wrap.talk import Talk

END: Final = object()
"""What follows the last event of a stream."""


@dataclass(frozen=True, slots=True)
class Work:
    """Work of ours; it may take CPU and disk, so an event loop must not wait for it."""

    run: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to the model; a reply or a stream comes back."""

    payload: Payload


@dataclass(frozen=True, slots=True)
class Next:
    """The next event of the current stream, or END."""


@dataclass(frozen=True, slots=True)
class Show:
    """An event for the caller."""

    event: Any


Step: TypeAlias = Work | Ask | Next | Show
Call: TypeAlias = Callable[[Payload], Any]
AsyncCall: TypeAlias = Callable[[Payload], Awaitable[Any]]


def opening(talk: Talk) -> Generator[Step, Any, Any]:
    """Return the model's first reply, or its stream."""
    yield Work(talk.open)
    return (yield Ask((yield Work(talk.request))))


def rounds(talk: Talk, reply: Any) -> Generator[Step, Any, Any]:
    """Return the reply for the caller: the last round's, its usage that of all rounds."""
    spent: Any = None
    while True:
        said = talk.read(partial(talk.dialect.spoken, reply))
        if not (yield Work(partial(talk.settle, said))):
            return talk.visible(reply, said, spent)
        spent = added(spent, field(reply, "usage"))
        reply = yield Ask((yield Work(talk.request)))


def relay(talk: Talk) -> Generator[Step, Any, None]:
    """Show the streams of all rounds as one; the first is under way."""
    weaver: Weaver = talk.dialect.weaver(talk.ours)
    while True:
        while not weaver.done and (event := (yield Next())) is not END:
            for seen in talk.shown(weaver, event):
                yield Show(seen)
        said = talk.read(weaver.spoken)
        more = yield Work(partial(talk.settle, said, streamed=True))
        if not more:
            break
        weaver.resume()
        yield from _drain()
        yield Ask((yield Work(talk.request)))
    for seen in weaver.finish():
        yield Show(seen)
    yield from _drain()


def _drain() -> Generator[Step, Any, None]:
    """Read a stream to its end, so that its connection can be used again."""
    while (yield Next()) is not END:
        pass


def run(steps: Generator[Step, Any, Any], call: Call) -> Any:
    """Do the steps of a loop that shows nothing; return its result."""
    result: Any = None
    while True:
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value
        result = step.run() if isinstance(step, Work) else call(step.payload)  # type: ignore[union-attr]


async def arun(steps: Generator[Step, Any, Any], call: AsyncCall) -> Any:
    """Do as `run`, our own work off the event loop."""
    result: Any = None
    while True:
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value
        if isinstance(step, Work):
            result = await asyncio.to_thread(step.run)
        else:
            result = await call(step.payload)  # type: ignore[union-attr]


def pump(steps: Generator[Step, Any, None], call: Call, source: Any) -> Iterator[Any]:
    """Yield the events that the steps show; `source` is the first stream."""
    events, result = iter(source), None
    try:
        while True:
            match steps.send(result):
                case Show(event):
                    result = yield event
                case Next():
                    result = next(events, END)
                case Work(work):
                    result = work()
                case Ask(payload):
                    source = call(payload)
                    events, result = iter(source), None
    except StopIteration:
        return
    finally:
        close(source)


async def apump(
    steps: Generator[Step, Any, None], call: AsyncCall, source: Any
) -> AsyncIterator[Any]:
    """Do as `pump`, our own work off the event loop."""
    events, result = aiter(source), None
    try:
        while True:
            try:
                step = steps.send(result)
            except StopIteration:
                return
            match step:
                case Show(event):
                    yield event
                    result = None
                case Next():
                    result = await anext(events, END)
                case Work(work):
                    result = await asyncio.to_thread(work)
                case Ask(payload):
                    source = await call(payload)
                    events, result = aiter(source), None
    finally:
        await aclose(source)


def close(source: Any) -> None:
    """Close a stream, if it can be."""
    with suppress(AttributeError):
        source.close()


async def aclose(source: Any) -> None:
    """Close an async stream, if it can be."""
    closing = getattr(source, "aclose", None) or getattr(source, "close", None)
    if closing is not None:
        done = closing()
        if hasattr(done, "__await__"):
            await done
