"""An agent loop on the OpenAI SDK: one line puts agentctx between it and its model.

Runs as it stands, against a scripted model on the loopback. With a key, leave `base_url` and
`api_key` out and name a real model.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from typing import Any

import openai

import agentctx
from agentctx.terminal.marker import handles
from agentctx.testing import FakeUpstream, ScriptedModel, call

TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "bash",
            "description": "Run a shell command.",
            "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
        },
    }
]
NOISY = 'for n in $(seq 900); do echo "compiling module_$n.c ... ok"; done'


def bash(command: str) -> str:
    done = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)
    return done.stdout + done.stderr


def agent(client: openai.OpenAI, task: str) -> str:
    """A plain agent loop: it knows nothing of agentctx."""
    messages: list[Any] = [{"role": "user", "content": task}]
    while True:
        reply = client.chat.completions.create(model="gpt-5", messages=messages, tools=TOOLS)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content or ""
        for made in message.tool_calls:
            output = bash(json.loads(made.function.arguments)["command"])
            messages.append({"role": "tool", "tool_call_id": made.id, "content": output})


def look_closer(payload: dict[str, Any]) -> Any:
    """Do as a model does that wants the hidden lines."""
    [handle] = handles(payload["messages"][-1]["content"])
    return call("expand", handle=handle, grep="module_45[0-2]")


def main() -> None:
    script = ScriptedModel(call("bash", command=NOISY), look_closer, "All 900 modules compiled.")
    with FakeUpstream(script) as upstream, tempfile.TemporaryDirectory() as data:
        plain = openai.OpenAI(base_url=upstream.url + "/v1", api_key="none")
        client = agentctx.wrap(plain, data=data)  # the one line
        print(agent(client, "Build the project."))
        sent = upstream.bodies[-1]["messages"]
        print(f"\nThe command printed {len(bash(NOISY)):,} characters. The model saw:\n")
        print(sent[2]["content"][:200], "…\n")
        print("It asked for lines that were hidden, and was answered inside:\n")
        print(sent[4]["content"])
        client.close()


if __name__ == "__main__":
    main()
