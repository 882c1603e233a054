"""Milestones and to-do as Markdown: one box a line, whatever people make of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from agentctx.memory.plan import markdown
from agentctx.memory.records import Item

_MARK = r"(?:[-*+]|\d{1,9}[.)])(?![^ \t])"
_BOX = r"\[([ xX]?)\](?!\S)"
_BULLET = re.compile(rf"([ \t]*){_MARK}[ \t]*(?:{_BOX}[ \t]*)?(.*)")
_GIVEN = re.compile(rf"(?:{_MARK}\s*)?(?:{_BOX}\s*)?(.*)", re.DOTALL)
_CLAIMED = re.compile(rf"([ \t]*)(?=\\*{_MARK})")
_ESCAPED = re.compile(rf"([ \t]*)\\(?=\\*{_MARK})")
_INDENT = re.compile(r" {1,2}|\t")
_SPACES = re.compile(r"^[ \t](?=[ \t]*$)", re.MULTILINE)
_RULE = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*|[ \t]*")
_HEADING = re.compile(r"#{3,6}(?![^ \t])")
_LEADING = re.compile(r"\A(?:(?:[-*+•>]|#{1,6}|\d{1,9}[.)])(?:\s+|\Z)|\[[ x]?\](?:\s+|\Z))+")
_TRAILING = " .,;:!?…。"


def same(text: str) -> str:
    """Return the key under which two items are one.

    Case, whitespace, markers before it, punctuation behind it and backticks do not count.
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    key = _LEADING.sub("", plain.replace("`", "").strip(), count=1)
    return " ".join(key.split()).rstrip(_TRAILING) or plain


def item(text: str) -> Item:
    """Return the item that a line stands for, such as `- [x] parse the log`."""
    found = _GIVEN.fullmatch(text.strip())
    return Item(found[2].strip(), _ticked(found[1])) if found else Item(text.strip())


def write_items(items: Iterable[Item]) -> str:
    """Return one box a line; further lines of an item are indented."""
    return "\n".join(_written(item) for item in items)


def read_items(lines: Sequence[str]) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """Return the items of a checklist and the headings that people put among them.

    Bullets of any kind and depth count, and so does a line without one. A nested bullet without
    a box is as done as what it belongs to.
    """
    reader = _Reader()
    for line in lines:
        reader.take(line)
    return tuple(reader.items()), tuple(reader.headings)


class _Reader:
    def __init__(self) -> None:
        self.headings: list[str] = []
        self._found: list[tuple[list[str], bool]] = []
        self._gap, self._bullet = 0, False
        self._outer: tuple[int, bool] = (0, False)

    def take(self, line: str) -> None:
        if _RULE.fullmatch(line):
            self._gap += 1
            return
        if bullet := _BULLET.fullmatch(line):
            self._begin(bullet)
        elif _HEADING.match(line):
            self.headings.append(line)
            self._bullet = False
        elif self._found and self._goes_on(line):
            rest = _ESCAPED.sub(r"\1", _INDENT.sub("", line, count=1), count=1)
            self._found[-1][0].extend([*[""] * self._gap, rest])
        else:
            self._found.append(([line], False))
            self._bullet = False
        self._gap = 0

    def items(self) -> Iterable[Item]:
        for body, done in self._found:
            yield Item(markdown.decode("\n".join(body).strip(" \t\n")), done)

    def _begin(self, bullet: re.Match[str]) -> None:
        depth = len(bullet[1].expandtabs(4))
        done = _ticked(bullet[2])
        if bullet[2] is None and self._bullet and depth > self._outer[0]:
            done = self._outer[1]
        else:
            self._outer = (depth, done)
        self._found.append(([bullet[3]], done))
        self._bullet = True

    def _goes_on(self, line: str) -> bool:
        return self._bullet and (line[0] in " \t" or not self._gap)


def _ticked(box: str | None) -> bool:
    return box in ("x", "X")


def _written(item: Item) -> str:
    text = _SPACES.sub(lambda found: f"&#{ord(found[0])};", markdown.encode(item.text))
    first, *rest = text.split("\n")
    further = (
        _CLAIMED.sub(r"\1\\", line, count=1) if _CLAIMED.match(line) else line for line in rest
    )
    box = "- [x]" if item.done else "- [ ]"
    return "\n".join(
        [f"{box} {first}" if first else box, *(f"  {line}" if line else "" for line in further)]
    )
