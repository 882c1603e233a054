"""Small agent loops on the real clients, one for each way of calling a model."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

from agentctx import wire
from agentctx.session import Session
from agentctx.testing import FakeUpstream, ScriptedModel
from agentctx.wrap import wrap

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
CHAT_TOOLS = [{"type": "function", "function": {"name": "bash", "parameters": SCHEMA}}]
RESPONSES_TOOLS = [{"type": "function", "name": "bash", "parameters": SCHEMA, "strict": False}]
ANTHROPIC_TOOLS = [{"name": "bash", "input_schema": SCHEMA}]


def openai_client(upstream: FakeUpstream, kind: Any = openai.OpenAI) -> Any:
    return kind(base_url=upstream.url + "/v1", api_key="none", max_retries=0)


def anthropic_client(upstream: FakeUpstream, kind: Any = anthropic.Anthropic) -> Any:
    return kind(base_url=upstream.url, api_key="none", max_retries=0)


@dataclass
class Seen:
    """What a caller sees of one turn, and the items that it adds to its history."""

    text: str
    calls: list[tuple[str, str, dict[str, Any]]]
    items: list[Any]
    usage: Any = None
    stop: str | None = None


@dataclass
class Host:
    """A caller with a history; subclasses say how it asks."""

    upstream: FakeUpstream
    data: Path
    session: Session | None = None
    history: list[Any] = field(default_factory=list)
    tools: bool = True

    key = "messages"
    name = "openai_chat"

    def __post_init__(self) -> None:
        self.session = self.session or Session(data=self.data)
        self.connect()

    def connect(self) -> None:
        raise NotImplementedError

    def ask(self) -> Seen:
        seen = self.send()
        self.history += seen.items
        return seen

    def send(self) -> Seen:
        raise NotImplementedError

    def close(self) -> None:
        self.client.close()

    def user(self, text: str) -> None:
        self.history.append({"role": "user", "content": text})

    def result(self, *answers: tuple[str, str]) -> None:
        for call_id, text in answers:
            self.history.append({"role": "tool", "tool_call_id": call_id, "content": text})

    def restarted(self) -> Host:
        """Return the same caller in a new process: only the data folder and its history stay."""
        return type(self)(self.upstream, self.data, history=list(self.history))


class Awaited:
    """A caller that awaits its reply, in an event loop for each."""

    def send(self) -> Seen:
        return asyncio.run(self._send())

    async def _send(self) -> Seen:
        raise NotImplementedError


def _chat_seen(reply: Any) -> Seen:
    [choice] = reply.choices
    message = choice.message
    calls = [
        (call.id, call.function.name, json.loads(call.function.arguments))
        for call in message.tool_calls or ()
    ]
    usage = getattr(reply, "usage", None)
    return Seen(message.content or "", calls, [message], usage, choice.finish_reason)


class Chat(Host):
    def connect(self) -> None:
        self.client = wrap(openai_client(self.upstream), session=self.session)

    def options(self) -> dict[str, Any]:
        tools = {"tools": CHAT_TOOLS} if self.tools else {}
        return {"model": "gpt-4.1", "messages": self.history, **tools}

    def send(self) -> Seen:
        reply = self.client.chat.completions.create(**self.options())
        return _chat_seen(reply)


class ChatParse(Chat):
    def send(self) -> Seen:
        completions = self.client.chat.completions
        reply = completions.with_raw_response.create(**self.options()).parse()
        return _chat_seen(reply)


class ChatStream(Chat):
    def send(self) -> Seen:
        asked = {**self.options(), "stream_options": {"include_usage": True}}
        with self.client.chat.completions.stream(**asked) as stream:
            reply = stream.get_final_completion()
        return _chat_seen(reply)


class ChatAsync(Awaited, Chat):
    async def _send(self) -> Seen:
        async with openai_client(self.upstream, openai.AsyncOpenAI) as client:
            twin = wrap(client, session=self.session)
            reply = await twin.chat.completions.create(**self.options())
        return _chat_seen(reply)


class ChatAsyncStream(ChatAsync):
    async def _send(self) -> Seen:
        asked = {**self.options(), "stream_options": {"include_usage": True}}
        async with openai_client(self.upstream, openai.AsyncOpenAI) as client:
            twin = wrap(client, session=self.session)
            async with twin.chat.completions.stream(**asked) as stream:
                reply = await stream.get_final_completion()
        return _chat_seen(reply)


class LiteLLM(Chat):
    def connect(self) -> None:
        import litellm

        self.complete = wrap(litellm.completion, session=self.session)

    def close(self) -> None:
        """Nothing of ours is open."""

    def options(self) -> dict[str, Any]:
        where = {"api_base": self.upstream.url + "/v1", "api_key": "none", "num_retries": 0}
        return {**super().options(), "model": "openai/gpt-4.1", **where}

    def send(self) -> Seen:
        reply = self.complete(**self.options())
        return _chat_seen(reply)


class LiteLLMStream(LiteLLM):
    def send(self) -> Seen:
        import litellm

        chunks = list(self.complete(**self.options(), stream=True))
        return _chat_seen(litellm.stream_chunk_builder(chunks))


class LiteLLMAsync(LiteLLM):
    def send(self) -> Seen:
        import litellm

        complete = wrap(litellm.acompletion, session=self.session)
        return _chat_seen(asyncio.run(complete(**self.options())))


class Function(Chat):
    """A caller whose model is a plain function."""

    def connect(self) -> None:
        self.inner = openai_client(self.upstream)

        def model(messages: list[Any], **options: Any) -> Any:
            reply = self.inner.chat.completions.create(model="m", messages=messages, **options)
            return reply.choices[0].message.to_dict()

        self.model = wrap(model, session=self.session)

    def close(self) -> None:
        self.inner.close()

    def send(self) -> Seen:
        message = self.model(self.history, tools=CHAT_TOOLS)
        calls = [
            (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in message.get("tool_calls") or ()
        ]
        return Seen(message.get("content") or "", calls, [message])


class Responses(Host):
    key = "input"
    name = "openai_responses"

    def connect(self) -> None:
        self.client = wrap(openai_client(self.upstream), session=self.session)

    def options(self) -> dict[str, Any]:
        tools = {"tools": RESPONSES_TOOLS} if self.tools else {}
        return {"model": "gpt-5", "input": self.history, **tools}

    def seen(self, reply: Any) -> Seen:
        calls = [
            (item.call_id, item.name, json.loads(item.arguments))
            for item in reply.output
            if item.type == "function_call"
        ]
        return Seen(reply.output_text, calls, list(reply.output), reply.usage, reply.status)

    def send(self) -> Seen:
        return self.seen(self.client.responses.create(**self.options()))

    def result(self, *answers: tuple[str, str]) -> None:
        for call_id, text in answers:
            item = {"type": "function_call_output", "call_id": call_id, "output": text}
            self.history.append(item)


class ResponsesStream(Responses):
    def send(self) -> Seen:
        with self.client.responses.stream(**self.options()) as stream:
            return self.seen(stream.get_final_response())


class ResponsesAsyncStream(Awaited, Responses):
    async def _send(self) -> Seen:
        async with openai_client(self.upstream, openai.AsyncOpenAI) as client:
            twin = wrap(client, session=self.session)
            async with twin.responses.stream(**self.options()) as stream:
                return self.seen(await stream.get_final_response())


class Anthropic(Host):
    name = "anthropic"

    def connect(self) -> None:
        self.client = wrap(anthropic_client(self.upstream), session=self.session)

    def options(self) -> dict[str, Any]:
        tools = {"tools": ANTHROPIC_TOOLS} if self.tools else {}
        return {"model": "claude-x", "max_tokens": 900, "messages": self.history, **tools}

    def seen(self, reply: Any) -> Seen:
        text = "".join(block.text for block in reply.content if block.type == "text")
        calls = [
            (block.id, block.name, dict(block.input))
            for block in reply.content
            if block.type == "tool_use"
        ]
        turn = {"role": "assistant", "content": list(reply.content)}
        return Seen(text, calls, [turn], reply.usage, reply.stop_reason)

    def send(self) -> Seen:
        return self.seen(self.client.messages.create(**self.options()))

    def result(self, *answers: tuple[str, str]) -> None:
        blocks = [
            {"type": "tool_result", "tool_use_id": call_id, "content": text}
            for call_id, text in answers
        ]
        self.history.append({"role": "user", "content": blocks})


class AnthropicStream(Anthropic):
    def send(self) -> Seen:
        with self.client.messages.stream(**self.options()) as stream:
            return self.seen(stream.get_final_message())


class AnthropicAsync(Awaited, Anthropic):
    async def _send(self) -> Seen:
        async with anthropic_client(self.upstream, anthropic.AsyncAnthropic) as client:
            twin = wrap(client, session=self.session)
            return self.seen(await twin.messages.create(**self.options()))


class AnthropicAsyncStream(AnthropicAsync):
    async def _send(self) -> Seen:
        async with anthropic_client(self.upstream, anthropic.AsyncAnthropic) as client:
            twin = wrap(client, session=self.session)
            async with twin.messages.stream(**self.options()) as stream:
                return self.seen(await stream.get_final_message())


HOSTS = [
    Chat,
    ChatParse,
    ChatStream,
    ChatAsync,
    ChatAsyncStream,
    LiteLLM,
    LiteLLMStream,
    LiteLLMAsync,
    Function,
    Responses,
    ResponsesStream,
    ResponsesAsyncStream,
    Anthropic,
    AnthropicStream,
    AnthropicAsync,
    AnthropicAsyncStream,
]
STREAMS = [host for host in HOSTS if "Stream" in host.__name__]


def each(kinds: list[type[Host]]) -> pytest.MarkDecorator:
    """Run a test with each kind of caller."""
    quiet = pytest.mark.filterwarnings("ignore")  # LiteLLM warns about its own types
    params = [pytest.param(k, id=k.__name__, marks=[quiet] * issubclass(k, LiteLLM)) for k in kinds]
    return pytest.mark.parametrize("kind", params)


@contextmanager
def serving(kind: type[Host], data: Path, *lines: Any, **options: Any) -> Iterator[Host]:
    """Run a caller against a provider that says `lines`."""
    with FakeUpstream(ScriptedModel(*lines)) as upstream:
        host = kind(upstream, data, **options)
        try:
            yield host
        finally:
            host.close()


def check_requests(host: Host, first: int = 0) -> None:
    """Every request obeys its provider and extends the one before it, byte for byte."""
    requests = host.upstream.requests[first:]
    module = wire.get(host.name)
    for request in requests:
        assert module.check(request.body) == []
        assert {**request.body, host.key: 0} == {**requests[0].body, host.key: 0}
    for one, other in pairwise(requests):
        history = json.dumps(one.body[host.key], separators=(",", ":"), ensure_ascii=False)
        start = one.raw.index(history.encode())
        until = start + len(history.encode()) - 1  # without the closing bracket
        assert other.raw[:until] == one.raw[:until]
        assert len(other.body[host.key]) > len(one.body[host.key])
