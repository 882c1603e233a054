"""What may not stand in stored text: controls, invisible characters, and what recall has said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from operator import attrgetter

from agentctx import patterns
from agentctx.patterns import Pattern

OPENING, CLOSING = "[agentctx memory: ", "[end of memory]"
"""Recalled text stands between a line that begins with the one, and the line that is the other."""

HELD = "(held back: it gives orders)"
"""Stands in place of a line that does, where nobody vouches for it."""

_DROPPED = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff"  # controls, lone surrogates
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # direction, which can show a text reversed
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # invisible
)
_JOINED = "\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18af\ufb50-\ufdff\ufe0f"
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"

_CONTROLS = re.compile(f"[{_DROPPED}]")
_ENDS = re.compile("\r\n?|[\u2028\u2029]")
_JOINERS = re.compile(
    f"(?<![{_JOINED}{_EMOJI}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}{_EMOJI}])"
)
_SELECTORS = re.compile("(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+")
_RARE = re.compile(f"[{_DROPPED}\r\u2028\u2029\u200c\u200d\ufe00-\ufe0f]")

_MARKS = str.maketrans("“”", '""')
_TAGS = re.compile("[\U000e0000-\U000e007f]{8}")  # no flag has so many
_MARKER = re.compile(r"\[(?=\s*(?:agentctx\s+memory|end\s+of\s+memory)\b)", re.IGNORECASE)
_BORDER = re.compile(r"\[agentctx memory: [^\]\n]*\]|\[end of memory\]")
_ID = re.compile(r"@([0-9a-hjkmnp-tv-z]{16})\]")
_LEVEL = re.compile(r"\[agentctx memory: (status|branch|commit|log|metadata|search|state)\b")

_INSTRUCTIONS = (
    r"\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|everything\s+)?(?:of\s+)?"
    r"(?:the\s+|these\s+|those\s+|your\s+|my\s+)?(?:above|previous|prior|preceding|earlier|foregoing|"
    r"existing|system)\s+(?:\w+\s+)?(?:instruction|prompt|message|rule|direction|command|guideline|orders)",
    r"\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:above|before|you|that came)\b",
    r"\b(?:ignore|disregard|forget|override)\s+(?:all\s+)?your\s+(?:instructions|rules|guidelines)\b",
    r"\bfrom\s+now\s+on\b[\s,:]*(?:you|your|always|never|only|please|respond|reply|answer|act|treat|"
    r"ignore|obey|do\s+not|don't|use|run|every)\b",
    r"\byou\s+are\s+now\s+(?:an?\s+(?:\w+\s+)?(?:ai|assistant|agent|model|bot|expert|hacker)\b|"
    r"in\s+(?:\w+\s+)?mode\b|free\s+(?:from|of)\b|no\s+longer\b|dan\b)",
    r"\b(?:new|updated|revised|real|actual)\s+(?:system\s+)?(?:instructions?|prompts?|orders?)\s*"
    r"(?:from\s+(?:the\s+)?(?:user|system|developer|admin\w*))?\s*:\s*(?:you|ignore|do|always|never|run)\b",
    r"\byour\s+(?:new|real|actual|true)\s+(?:task|role|goal|instructions?|orders?|objective)\b",
    r"\b(?:reveal|print|repeat|show|leak|output|send)\s+(?:me\s+)?your\s+(?:full\s+|entire\s+)?"
    r"(?:system\s+prompt|instructions|hidden\s+prompt)",
    r"\b(?:do\s+not|don't|never)\s+(?:tell|inform|alert|notify|mention\s+(?:this|it)\s+to)\s+the\s+user\b",
    r"<\|?(?:im_start|im_sep|start_header_id)\|?>\s*(?:system|assistant|user|developer)\b",
    r"\[INST\][^\n]*\[/INST\]|<<SYS>>",
    r"</?(?:system[-_ ]?(?:reminder|prompt|message|instructions?))>",
    r"(?m)^[\s>#*]*(?:system|assistant|developer)(?:\s+(?:prompt|message|note|override))?\s*[:>\]]+"
    r"\**\s*(?:you\s+(?:are|must|should|will|have)|ignore|disregard|do\s+not|never|always|from\s+now)\b",
    r"\[\s*agentctx\s+memory\b|\[\s*end\s+of\s+memory\b",
)


@dataclass(frozen=True, slots=True)
class _Block:
    """The characters from `start` to before `end` were recalled; `by` is the line that says it."""

    start: int
    end: int
    by: str


def clean(text: str) -> str:
    r"""Return a text as it may be stored; what is clean already comes back as it is.

    Controls other than newline and tab, direction and zero-width characters, tags and lone
    surrogates leave; every other way to end a line becomes "\n". Joiners stay where a script or an
    emoji needs them. A block that recall has written becomes "(recalled: <id>)".
    """
    text = visible(text)
    if "[" not in text:
        return text
    return defused(_without_blocks(text))


def safely(text: str, redact: Callable[[str], str]) -> str:
    """Return a text as it may be stored, without secrets, those in pieces that cleaning joins too."""
    return clean(redact(visible(text)))


def visible(text: str) -> str:
    r"""Return a text without what nobody sees; every way to end a line becomes "\n"."""
    if _RARE.search(text) is None:
        return text
    text = _CONTROLS.sub("", _ENDS.sub("\n", text))
    return _JOINERS.sub("", _SELECTORS.sub("", text))


def defused(text: str) -> str:
    """Return a text in which nothing passes for a border of recalled text."""
    return _MARKER.sub("(", text)


def suspicious(text: str) -> bool:
    """Tell whether a text gives orders as an injected prompt does; meant for what tools returned."""
    return _TAGS.search(text) is not None or _program().search(visible(text)) is not None


def harmless(line: str) -> str:
    """Return a line, or what stands in its place if it gives orders."""
    return HELD if suspicious(line) else line


def marked(line: str) -> str:
    """Return a line between quotation marks that it cannot close."""
    return f"“{line.translate(_MARKS)}”"


@cache
def _program() -> Pattern:
    return patterns.compiled("(?i)" + "|".join(f"(?:{one})" for one in _INSTRUCTIONS))


def _without_blocks(text: str) -> str:
    if OPENING not in text:
        return text
    parts, at = [], 0
    for block in _blocks(text):
        parts += [text[at : block.start], f"(recalled{_name(block.by)})"]
        at = block.end
    return "".join([*parts, text[at:]])


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the outermost blocks; one that a whole line opens and nothing closes goes to the end."""
    found: list[_Block] = []
    waiting: list[re.Match[str]] = []
    for border in _BORDER.finditer(text):
        if border[0] != CLOSING:
            if not waiting or _is_line(text, border):
                waiting.append(border)
        elif waiting:
            first = waiting.pop()
            if _ends_line(text, first) or "\n" not in text[first.end() : border.start()]:
                found.append(_Block(first.start(), border.end(), first[0]))
    unfinished = (first for first in waiting if _is_line(text, first))
    found += [_Block(first.start(), len(text), first[0]) for first in unfinished]
    end = 0
    for block in sorted(found, key=attrgetter("start")):
        if block.start >= end:
            yield block
            end = block.end


def _is_line(text: str, border: re.Match[str]) -> bool:
    line = text[text.rfind("\n", 0, border.start()) + 1 : border.start()]
    return not line.strip(" \t>") and _ends_line(text, border)


def _ends_line(text: str, border: re.Match[str]) -> bool:
    return text[border.end() : border.end() + 1] in ("", "\n")


def _name(opening: str) -> str:
    found = _ID.search(opening) or _LEVEL.match(opening)
    return f": {found[1]}" if found else ""
