"""The item types of OpenAI Responses: who made them, and which output answers which call.

Source: `openai.types.responses.ResponseInputItemParam`.
"""

from __future__ import annotations

from typing import Final

from agentctx.wire.views import Block, type_of

CALLS: Final = {
    "function_call": ("", "arguments"),
    "custom_tool_call": ("", "input"),
    "shell_call": ("shell", "action"),
    "local_shell_call": ("local_shell", "action"),
    "apply_patch_call": ("apply_patch", "operation"),
    "computer_call": ("computer", "action"),
}
"""Calls that the host answers: the tool's fixed name, if it has one, and where its arguments are."""

OUTPUTS: Final = {f"{call}_output": call for call in CALLS}

_HOST: Final = frozenset(
    {
        *OUTPUTS,
        "additional_tools",
        "compaction_trigger",
        "configuration_update",
        "mcp_approval_response",
        "tool_search_output",
    }
)


def from_model(item: Block) -> bool:
    """Say whether the model's side made this item.

    An unknown type counts as the model's, so that what stands before it is taken as already sent.
    """
    kind = type_of(item)
    if kind in ("", "message"):
        return item.get("role") == "assistant"
    return kind not in _HOST
