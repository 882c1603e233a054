"""What the slots of a request say: which hold results, of which commands, what the model wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentctx.terminal.hidden import WORTH_A_MARKER
from agentctx.values import Kind, Observation, Path, Slot

_COMMANDS = ("command", "cmd", "script")


def of_tool(slot: Slot) -> bool:
    """Tell whether a slot holds a tool's result, or a part of one that we cannot edit."""
    return slot.kind is Kind.OBSERVATION or (slot.kind is Kind.OPAQUE and bool(slot.call_id))


def editable(slot: Slot) -> bool:
    """Tell whether a slot holds a text of a tool's that can be replaced."""
    return slot.kind is Kind.OBSERVATION and bool(slot.text)


def result(slot: Slot) -> tuple[str, Path]:
    """Return what tells the tool result that a slot is a part of from its neighbours."""
    return slot.call_id, slot.path[:-1] if isinstance(slot.path[-1], int) else slot.path


def observation(slot: Slot) -> Observation:
    """Return the tool result that a slot holds."""
    return Observation(output=slot.text, command=_command(slot.arguments or {}), tool=slot.tool)


def title(slot: Slot) -> str:
    """Return that by which the model recognises a tool result."""
    arguments = slot.arguments or {}
    first = next((value for value in arguments.values() if isinstance(value, str)), "")
    return _command(arguments) or f"{slot.tool} {first}"


def called(slot: Slot) -> str:
    """Return what the model wrote in the call that a tool result answers."""
    arguments = slot.arguments or {}
    return wrote("\n".join(text for text in arguments.values() if isinstance(text, str)))


def spoken(slots: Sequence[Slot]) -> str:
    """Return what the model said in a turn."""
    return "\n".join(s.text for s in slots if s.kind is Kind.ASSISTANT and s.text.strip())


def wrote(text: str) -> str:
    """Return the text of a call if it is long enough for a tool to show parts of it again."""
    return text if len(text) >= WORTH_A_MARKER else ""


def _command(arguments: Mapping[str, Any]) -> str:
    """Return the shell command in the arguments of a call, if there is one."""
    for key in _COMMANDS:
        value = arguments.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return " ".join(value)
    return ""
