"""An agent loop on the Anthropic SDK, streamed: one line puts agentctx between it and its model.

Runs as it stands, against a scripted model on the loopback. With a key, leave `base_url` and
`api_key` out and name a real model.
"""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
from typing import Any

import anthropic

import agentctx
from agentctx.terminal.marker import handles
from agentctx.testing import FakeUpstream, ScriptedModel, Thinking, call

TOOLS: Any = [
    {
        "name": "bash",
        "description": "Run a shell command.",
        "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}},
    }
]
NOISY = 'for n in $(seq 900); do echo "downloading package-$n ... done"; done'


def bash(command: str) -> str:
    done = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)
    return done.stdout + done.stderr


async def agent(client: anthropic.AsyncAnthropic, task: str) -> None:
    """A plain agent loop that streams: it knows nothing of agentctx."""
    messages: list[Any] = [{"role": "user", "content": task}]
    while True:
        asked: Any = {"model": "claude-opus-5", "max_tokens": 4000, "tools": TOOLS}
        async with client.messages.stream(messages=messages, **asked) as stream:
            async for text in stream.text_stream:
                print(text, end="", flush=True)
            reply = await stream.get_final_message()
        messages.append({"role": "assistant", "content": reply.content})
        made = [block for block in reply.content if block.type == "tool_use"]
        if not made:
            print()
            return
        results = [
            {"type": "tool_result", "tool_use_id": each.id, "content": bash(each.input["command"])}
            for each in made
        ]
        messages.append({"role": "user", "content": results})


def look_closer(payload: dict[str, Any]) -> Any:
    """Do as a model does that wants the hidden lines."""
    [handle] = handles(payload["messages"][-1]["content"][0]["content"])
    return [
        Thinking("What is hidden?"),
        "One look. ",
        call("expand", handle=handle, lines="450-452"),
    ]


async def main() -> None:
    script = ScriptedModel(call("bash", command=NOISY), look_closer, "All packages are here.")
    with FakeUpstream(script) as upstream, tempfile.TemporaryDirectory() as data:
        plain = anthropic.AsyncAnthropic(base_url=upstream.url, api_key="none")
        async with agentctx.wrap(plain, data=data) as client:  # the one line
            await agent(client, "Install the packages.")
        print(f"\nThe command printed {len(bash(NOISY)):,} characters.")
        for number, request in enumerate(upstream.requests, 1):
            print(f"request {number}: {len(request.raw):,} bytes")
        print("\nWhat the model was answered inside:\n")
        print(upstream.bodies[-1]["messages"][4]["content"][0]["content"])


if __name__ == "__main__":
    asyncio.run(main())
