"""Free text within a Markdown file of ours: what the file's structure could claim is escaped."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

_OPENS = re.compile(r"(`{3,})[^`]*|(~{3,}).*")
_CLOSES = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
_STRUCTURE = r"\\*(?:#{1,2}(?![^ \t])|`{3}|~{3})"
_CLAIMED = re.compile(rf"(?={_STRUCTURE})")
_ESCAPED = re.compile(rf"\\(?={_STRUCTURE})")
_ENTITY = re.compile(r"&#(9|10|13|32|38);")
_AMBIGUOUS = re.compile(r"&(?=#(?:9|10|13|32|38);)|\r")
_BLANK = " \t\n"
_NEVER = 1 << 62


def lines(text: str) -> list[str]:
    """Return the lines of a text that people may have edited with any editor."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def escape(text: str) -> str:
    r"""Return a body in which no line is a heading of level 1 or 2, and no fence stays open.

    Lines get a backslash (`\## so`), whitespace at the edges becomes entities (`&#10;`); fenced
    blocks stand as they are.
    """
    body = encode(text, indented=True).split("\n")
    inside = fenced(body)
    return "\n".join(
        line if within or not _CLAIMED.match(line) else f"\\{line}"
        for line, within in zip(body, inside, strict=True)
    )


def unescape(text: str) -> str:
    """Return the text of a body; blank lines around it do not belong to it."""
    body = text.rstrip(_BLANK).split("\n")
    while len(body) > 1 and not body[0].strip(_BLANK):
        del body[0]
    inside = fenced(body)
    found = (
        line if within else _ESCAPED.sub("", line, count=1) if _ESCAPED.match(line) else line
        for line, within in zip(body, inside, strict=True)
    )
    return decode("\n".join(found))


def encode(text: str, *, indented: bool = False) -> str:
    """Return a text whose edges survive stripping; `indented` keeps its first line's indentation."""
    text = _AMBIGUOUS.sub(_entity, text)
    core = text.strip(_BLANK)
    start = text.find(core)
    head, tail = text[:start], text[start + len(core) :]
    kept = len(head) - head.rfind("\n") - 1 if indented else 0
    cut = len(head) - kept
    return f"{_entities(head[:cut])}{head[cut:]}{core}{_entities(tail)}"


def decode(text: str) -> str:
    """Return what `encode` was given."""
    return _ENTITY.sub(lambda found: chr(int(found[1])), text)


def single(text: str) -> str:
    """Return a text encoded as one line."""
    return encode(text).replace("\n", "&#10;")


def fenced(lines: Sequence[str]) -> list[bool]:
    """Return which lines belong to a fenced block; a fence that nothing closes is none."""
    inside = [False] * len(lines)
    closing = [
        (at, found[1]) for at, line in enumerate(lines) if (found := _CLOSES.fullmatch(line))
    ]
    unclosed = {"`": _NEVER, "~": _NEVER}  # the shortest that nothing further down closes
    at = 0
    while at < len(lines):
        found = _OPENS.fullmatch(lines[at])
        mark = (found[1] or found[2]) if found else ""
        end = at
        if mark and len(mark) < unclosed[mark[0]]:
            end = _end(closing, at, mark)
            if end == at:
                unclosed[mark[0]] = len(mark)
            else:
                inside[at : end + 1] = [True] * (end + 1 - at)
        at = end + 1
    return inside


def paragraphs(text: str) -> list[str]:
    """Return what blank lines part, fenced blocks whole."""
    body = text.split("\n")
    found: list[list[str]] = [[]]
    for line, within in zip(body, fenced(body), strict=True):
        if within or line.strip(_BLANK):
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return ["\n".join(one) for one in found if one]


def _end(closing: Sequence[tuple[int, str]], at: int, mark: str) -> int:
    first = bisect_left(closing, (at + 1, ""))
    places = (closing[i] for i in range(first, len(closing)))
    return next((place for place, other in places if other.startswith(mark)), at)


def _entity(found: re.Match[str]) -> str:
    return _entities(found[0])


def _entities(text: str) -> str:
    return "".join(f"&#{ord(character)};" for character in text)
