"""A loop of one's own with a `Session` by hand, where no client is there to be wrapped.

Runs as it stands, with a scripted model.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from typing import Any

from agentctx import Observation, Session, ToolCall, Usage
from agentctx.terminal.marker import handles, is_marker
from agentctx.testing import ScriptedModel, call

NOISY = 'for n in $(seq 900); do echo "running test_$n in suite $((n % 7)) ... ok"; done; echo "FAILED test_901"; exit 1'


def run(session: Session, made: ToolCall) -> str:
    """Answer a call: one of ours, or a command whose output is reduced before it is stored."""
    answer = session.handle(made)
    if answer is not None:
        return answer
    command = made.arguments["command"]
    done = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)
    seen = Observation(
        output=done.stdout + done.stderr, command=command, exit_code=done.returncode, tool="bash"
    )
    return session.observe(seen, call_id=made.id).text


def agent(session: Session, model: Any, task: str) -> list[dict[str, Any]]:
    """Loop until the model calls nothing any more; return the history."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": task}]
    while True:
        message = model(messages)  # offer it `session.tools()` beside your own
        session.record(Usage(input=len(str(messages)) // 4), model="gpt-5")
        messages.append(message)
        for each in message.get("tool_calls") or ():
            function = each["function"]
            made = ToolCall(
                id=each["id"],
                name=function["name"],
                arguments=json.loads(function["arguments"]),
            )
            messages.append(
                {"role": "tool", "tool_call_id": made.id, "content": run(session, made)}
            )
        if not message.get("tool_calls"):
            return messages


def look_closer(payload: dict[str, Any]) -> Any:
    """Do as a model does that wants the hidden lines."""
    [handle] = handles(payload["messages"][-1]["content"])
    return call("expand", handle=handle, lines="450-452")


def main() -> None:
    with tempfile.TemporaryDirectory() as data:
        session = Session(data=data, expand_hint="expand {handle}")
        model = ScriptedModel(call("bash", command=NOISY), look_closer, "Only test_901 failed.")
        history = agent(session, model, "Run the tests.")
    for message in history:
        text = message["content"] or message["tool_calls"][0]["function"]["arguments"]
        lines = text.splitlines()
        markers = [*filter(is_marker, lines)]
        shown = [*lines[:2], "…", *markers, "…", *lines[-2:]] if markers else lines
        print(f"--- {message['role']}", *shown, sep="\n")


if __name__ == "__main__":
    main()
