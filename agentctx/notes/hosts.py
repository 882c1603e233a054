"""How hosts write what is no word of the user's into messages: results, asides, summaries."""

from __future__ import annotations

import re

_FENCED = re.compile(r"^```[^\n`]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_RESULT = re.compile(
    r"\s*(?:<(?:returncode|output|observation|tool_response|tool_result|function_results?|result)\b"
    r"|the last command <command>"
    r"|\[?(?:observation|tool (?:result|output)|execution result|command output|output)\]?\s*:)",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s*<(?:system-reminder|environment_context|environment_details)\b")
_SUMMARY = re.compile(
    r"\A\W*<(?:conversation_|context_)?summary>|\bbeing continued from a previous\b"
    r"|\A(?!\W*(?:please|can|could|write|give|make|create|provide|produce|show|summari[sz]e)\b).{0,120}"
    r"\bsummary of (?:the|our|this|its|everything|what)\b.{0,60}(?:conversation|session|progress"
    r"|thinking|work|history|far)\b|\b(?:conversation|(?:earlier|previous|prior) (?:history|context))"
    r"(?: history| context)? (?:was|has been|is) (?:compacted|condensed|summari[sz]ed|truncated)",
    re.IGNORECASE | re.DOTALL,
)
_SUMMARY_STARTS = 600  # characters within which a summary says that it is one


def is_result(text: str) -> bool:
    """Tell whether a message begins as what a tool returned."""
    return _RESULT.match(text) is not None


def is_aside(text: str) -> bool:
    """Tell whether a host tells the model something in passing."""
    return _ASIDE.match(text) is not None


def is_summary(text: str) -> bool:
    """Tell whether a message stands in place of the history that a host has compacted."""
    return _SUMMARY.search(text[:_SUMMARY_STARTS]) is not None


def command(text: str) -> str:
    """Return the last fenced block of what the model said, "" if there is none."""
    found = _FENCED.findall(text)
    return found[-1].strip() if found else ""
