"""An agent that tries two fixes on two branches of its memory and merges the better one.

Runs as it stands, with a scripted model: the commands, the branches and the merge are real.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from agentctx import Observation, Session, ToolCall
from agentctx.testing import ScriptedModel, call

TASK = "median.py is wrong for even lists. Fix it. Never change the signature of median()."
BROKEN = "def median(values):\n    return sorted(values)[len(values) // 2]\n"
CHECK = "from median import median\nassert median([1, 2, 3, 10]) == 2.5, median([1, 2, 3, 10])\nassert median([3, 1, 2]) == 2\nprint('2 passed')\n"
BASH = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run a command",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
    },
}

FIRST = "printf 'def median(values):\\n    v = sorted(values)\\n    return (v[0] + v[-1]) / 2\\n' > median.py && python3 check.py"
SECOND = "printf 'from statistics import median as _median\\n\\ndef median(values):\\n    return _median(values)\\n' > median.py && python3 check.py"

SCRIPT = (
    call("context_commit", summary="The bug: an even list has two middles", todo=["mend median()"]),
    call("context_branch", name="fix/mean-of-ends", purpose="average the ends of the sorted list"),
    call("bash", command=FIRST),
    call("context_commit", summary="Wrong: the ends are not the middle", findings=["ends fail on [3, 1, 2, 10]"]),
    call("context_switch", name="main"),
    call("context_branch", name="fix/statistics", purpose="use the standard library"),
    call("bash", command=SECOND),
    call("context_commit", summary="statistics.median passes all checks", done=["mend median()"]),
    call("context_switch", name="main"),
    call("context_merge", name="fix/statistics", outcome="success"),
    call("context_merge", name="fix/mean-of-ends", outcome="abandoned", summary="the ends are not the middle"),
    call("context_recall"),
    "median() is mended: it uses statistics.median.",
)  # fmt: skip


def run(session: Session, folder: Path, made: ToolCall) -> str:
    """Answer a call: one of ours, or a command."""
    answer = session.handle(made)
    if answer is not None:
        return answer
    done = subprocess.run(
        ["bash", "-c", made.arguments["command"]],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    command, output = made.arguments["command"], done.stdout + done.stderr
    seen = Observation(output=output, command=command, exit_code=done.returncode, tool="bash")
    return session.observe(seen, call_id=made.id).text


def agent(session: Session, model: ScriptedModel, folder: Path) -> None:
    """Loop until the model calls nothing any more."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": TASK}]
    while True:
        payload = session.offer({"model": "gpt-5", "messages": messages, "tools": [BASH]})
        message = model(**session.rewrite(payload))
        messages.append(message)
        for each in message.get("tool_calls") or ():
            function = each["function"]
            made = ToolCall(
                id=each["id"], name=function["name"], arguments=json.loads(function["arguments"])
            )
            content = run(session, folder, made)
            print(
                f"{made.name}: {(content.splitlines() or ['ok'])[0 if made.name != 'bash' else -1]}"
            )
            messages.append({"role": "tool", "tool_call_id": made.id, "content": content})
        if not message.get("tool_calls"):
            print(message["content"])
            return


def main() -> None:
    """Explore, merge, and show what memory holds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "median.py").write_text(BROKEN)
        (folder / "check.py").write_text(CHECK)
        with Session("explorer", data=folder / ".agentctx", memory="on") as session:
            agent(session, ScriptedModel(*SCRIPT), folder)
            memory = session.memory
            roadmap = memory.snapshot("main").roadmap
            print(
                "\nto-do:", [(item.text, "done" if item.done else "open") for item in roadmap.todo]
            )
            print("lessons:", dict(roadmap.sections)["Lessons"])
            for record in memory.snapshot("main").records(k=10):
                print(f"  {record.id} {record.branch}: {record.title}")
            assert memory.current == "main"
            assert all(item.done for item in roadmap.todo)


if __name__ == "__main__":
    main()
