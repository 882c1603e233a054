"""A run that is killed in the middle of a command, and another process that goes on with it.

Runs as it stands, with scripted models: the kill is a real SIGKILL, the second process starts with
nothing but the data folder.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from agentctx import Observation, Session, ToolCall
from agentctx.testing import ScriptedModel, call

TASK = "Rename `load` to `read` in app.py. You must keep an alias for old callers."
CORRECTION = "No wait: do not add the alias to __all__."
BASH = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run a command",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
    },
}


def answer(session: Session, folder: Path, made: ToolCall) -> str:
    """Answer a call: one of ours, a command, or the end of this process."""
    ours = session.handle(made)
    if ours is not None:
        return ours
    command = made.arguments["command"]
    if command == "python3 -m pytest":
        session.rewrite(session.offer({"messages": [*HISTORY], "tools": [BASH]}))
        os.kill(os.getpid(), signal.SIGKILL)  # the power, the user, the out-of-memory killer …
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, check=False, capture_output=True, text=True
    )
    seen = Observation(
        output=done.stdout + done.stderr, command=command, exit_code=done.returncode, tool="bash"
    )
    return session.observe(seen, call_id=made.id).text


HISTORY: list[dict[str, Any]] = []


def agent(session: Session, model: ScriptedModel, folder: Path, *prompts: str) -> None:
    """Answer each prompt in turn, calling tools until the model has its last word."""
    for prompt in prompts:
        HISTORY.append({"role": "user", "content": prompt})
        while True:
            payload = session.offer({"model": "gpt-5", "messages": [*HISTORY], "tools": [BASH]})
            message = model(**session.rewrite(payload))
            HISTORY.append(message)
            for each in message.get("tool_calls") or ():
                made = ToolCall(
                    id=each["id"],
                    name=each["function"]["name"],
                    arguments=json.loads(each["function"]["arguments"]),
                )
                content = answer(session, folder, made)
                HISTORY.append({"role": "tool", "tool_call_id": made.id, "content": content})
            if not message.get("tool_calls"):
                break


def first(folder: Path) -> None:
    """Do half of the work, and die while the tests run."""
    model = ScriptedModel(
        call("bash", command="sed -i.bak 's/def load/def read/' app.py && cat app.py"),
        "I renamed it. Shall I add the alias now?",
        call("context_commit", summary="load is renamed to read in app.py", done=["rename load"],
             todo=["rename load", "alias for old callers", "run the tests"],
             next_action="append `load = read` to app.py, then run the tests"),
        call("bash", command="python3 -m pytest"),
    )  # fmt: skip
    session = Session("first", data=folder / ".agentctx", memory="on")
    agent(session, model, folder, TASK, CORRECTION)


def second(folder: Path) -> None:
    """Go on in a new process, as another agent, from what memory says."""

    def look(payload: dict[str, Any]) -> Any:
        print(payload["messages"][0]["content"])
        return call("bash", command="echo 'load = read' >> app.py && cat app.py")

    model = ScriptedModel(
        look,
        call("context_commit", summary="The alias is there", done=["alias for old callers"]),
        "Done: read, with load as an alias that is not in __all__.",
    )
    with Session("second", data=folder / ".agentctx", memory="on") as session:
        agent(session, model, folder, "Go on, please.")
        state = session.memory.state()
    said = [word.text for word in state.words]
    assert TASK in said
    assert CORRECTION in said
    assert state.open_items == ("run the tests",)
    print("\nstill open:", ", ".join(state.open_items))


def main() -> None:
    """Run both, each in a process of its own."""
    if len(sys.argv) == 3:
        {"first": first, "second": second}[sys.argv[1]](Path(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as name:
        Path(name, "app.py").write_text("def load(path):\n    return open(path).read()\n")
        killed = subprocess.run([sys.executable, __file__, "first", name], check=False)
        print(f"the first process ended with {killed.returncode} (SIGKILL)\n")
        assert killed.returncode == -signal.SIGKILL
        subprocess.run([sys.executable, __file__, "second", name], check=True)


if __name__ == "__main__":
    main()
