"""The two formats of recordings that are understood, told apart by their fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentctx.errors import DataError
from agentctx.evals.trajectory import HOST_PROMPT, Recorded, Seen, Trajectory, Turn
from agentctx.values import ToolCall

_WHOLE = re.compile(
    r"(?P<before><returncode>(?P<code>-?\d+)</returncode>\n<output>\n)"
    r"(?P<text>.*)(?P<after></output>)\s*",
    re.DOTALL,
)
_CUT = re.compile(
    r"(?P<before><returncode>(?P<code>-?\d+)</returncode>\n<warning>.*?</warning>\s*<output_head>\n)"
    r"(?P<text>.*)(?P<after>\n</output_tail>)\s*",
    re.DOTALL,
)
_LATE = re.compile(
    r"(?P<before>The last command <command>.*?timed out.*?<output>\n)"
    r"(?P<text>.*)(?P<after></output>.*)",
    re.DOTALL,
)
_BLOCK = re.compile(r"```bash\s*\n(.*?)\n```", re.DOTALL)


def parse(record: Mapping[str, Any]) -> Trajectory:
    """Return the trajectory that a record of either format holds.

    Raises:
        DataError: the record has the fields of neither, or one of them has the wrong type.
    """
    try:
        if "steps" in record:
            return _vorflux(record)
        if "messages" in record:
            return _mini(record)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(f"a field is missing or has the wrong type ({error!r})") from error
    raise DataError("not a trajectory: it has neither 'steps' nor 'messages'")


def _vorflux(record: Mapping[str, Any]) -> Trajectory:
    """Read a run whose tools are native calls; the model is the one its builder states.

    The task text and the system prompt were not recorded: the task's id stands for both.
    """
    task = record["task"]
    return Trajectory(
        id=f"{record['source']}/{record['id']}",
        task=task,
        agent=record["agent"],
        source=record["source"],
        model="claude-opus-4-6",
        wire="anthropic",
        opening=({"role": "user", "content": task},),
        host_prompt=HOST_PROMPT,
        turns=tuple(_step(step) for step in record["steps"]),
    )


def _step(step: Mapping[str, Any]) -> Turn:
    call = ToolCall(
        id=f"toolu_{step['i']:04d}", name=_text(step["tool"]), arguments=dict(step["args"])
    )
    return Turn(
        text=_text(step.get("thought") or ""),
        call=call,
        seen=Seen(
            text=_output(step),
            exit_code=step.get("exit_code"),
            cut=bool(step.get("truncated_by_harness")),
        ),
    )


def _output(step: Mapping[str, Any]) -> str:
    """Return standard output, then standard error from a new line, without labels."""
    if "stdout" not in step:
        return _text(step.get("output") or "")
    out, err = _text(step["stdout"] or ""), _text(step.get("stderr") or "")
    return f"{out}\n{err}" if out and err and not out.endswith("\n") else out + err


def _mini(record: Mapping[str, Any]) -> Trajectory:
    """Read a run whose results are user messages.

    The model's name was not recorded; the cost of each call fits only Gemini 3 Pro's prices.
    """
    messages = record["messages"]
    first = next((i for i, m in enumerate(messages) if m["role"] == "assistant"), len(messages))
    return Trajectory(
        id=f"mini-swe-agent/{record['instance_id']}",
        task=record["instance_id"],
        agent="mini-swe-agent",
        source="mini-swe-agent",
        model="gemini-3-pro-preview",
        wire="openai_chat",
        opening=tuple(
            {"role": m["role"], "content": _text(m["content"])} for m in messages[:first]
        ),
        turns=_exchanges(messages[first:]),
    )


def _exchanges(messages: Sequence[Mapping[str, Any]]) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    for i, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        answers = [_text(m["content"]) for m in messages[i + 1 : i + 2] if m["role"] == "user"]
        turns.append(_exchange(len(turns), message, answers[0] if answers else ""))
    return tuple(turns)


def _exchange(number: int, message: Mapping[str, Any], answer: str) -> Turn:
    text = _text(message["content"])
    blocks = _BLOCK.findall(text)
    seen = _seen(answer)
    command = {"command": blocks[0] if len(blocks) == 1 else ""}
    return Turn(
        text=text,
        call=ToolCall(id=f"call_{number:04d}", name="bash", arguments=command) if seen else None,
        seen=seen,
        note="" if seen else answer,
        recorded=_usage(message.get("usage")),
    )


def _seen(answer: str) -> Seen | None:
    for form in (_WHOLE, _CUT, _LATE):
        if found := form.fullmatch(answer):
            code = found.groupdict().get("code")
            end = found.end("text")
            return Seen(
                text=found["text"],
                exit_code=int(code) if code else None,
                before=found["before"],
                after=answer[end:],
                cut=form is _CUT,
            )
    return None


def _usage(usage: Mapping[str, Any] | None) -> Recorded | None:
    if not usage:
        return None
    return Recorded(
        prompt=int(usage["prompt"]),
        cached=int(usage.get("cached") or 0),
        completion=int(usage.get("completion") or 0),
        dollars=usage.get("cost"),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {type(value).__name__}")
    return value
