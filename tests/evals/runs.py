"""Small made runs in both formats, whose scores can be worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentctx.evals.formats import parse
from agentctx.evals.trajectory import Trajectory


def vorflux(*steps: tuple[str, str], task: str = "repo__1", run: str = "1") -> dict[str, Any]:
    """Return a record of a run with native tools from (command, output) pairs."""
    return {
        "id": run,
        "source": "vorflux-swe-benchmarks",
        "task": task,
        "agent": "vorflux",
        "resolved": True,
        "steps": [
            {
                "i": i,
                "tool": "bash_execute",
                "args": {"command": command},
                "ts": f"2026-05-05 12:00:{i:02d}",
                "stdout": output,
                "stderr": "",
                "exit_code": 0,
            }
            for i, (command, output) in enumerate(steps)
        ],
    }


def mini(*steps: tuple[str, str], task: str = "repo__1", prompt: int = 100) -> dict[str, Any]:
    """Return a record of a run whose results are user messages, each call of `prompt` tokens."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": "Mend it."},
    ]
    for command, output in steps:
        usage = {"prompt": prompt, "cached": 0, "completion": 10, "reasoning": 0, "cost": 0.001}
        text = f"THOUGHT: on we go\n\n```bash\n{command}\n```"
        messages.append({"role": "assistant", "content": text, "usage": usage})
        result = f"<returncode>0</returncode>\n<output>\n{output}</output>"
        messages.append({"role": "user", "content": result})
    return {"instance_id": task, "exit_status": "Submitted", "messages": messages}


def trajectory(*steps: tuple[str, str], native: bool = True) -> Trajectory:
    """Return a run from (command, output) pairs."""
    return parse(vorflux(*steps) if native else mini(*steps))


def write(path: Path, *records: dict[str, Any]) -> Path:
    """Write records as JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path
