"""HTML from Python values; whatever is not `Html` is text, and is escaped."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable

_SHOW = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
_PICTURES, _DELETE = 0x2400, "\u2421"
_VOID = frozenset(("meta", "br", "input", "hr", "col"))


class Html(str):
    """Markup that stands as it is."""

    __slots__ = ()


Child = object
"""What may stand in an element: `Html`, text, a number, None for nothing, or an iterable of these."""


def text(value: object) -> Html:
    """Return text as markup that shows every character, also those that print as nothing."""
    return Html(html.escape(visible(str(value)), quote=True))


def visible(string: str) -> str:
    """Return a text in which control, direction and surrogate characters are signs one can see."""
    return _SHOW.sub(_sign, string)


def tag(element: str, *children: Child, **attributes: object) -> Html:
    """Return an element; `class_` is `class`, other underscores in names are hyphens.

    An attribute that is None or False is left out, one that is True has no value.
    """
    begin = f"<{element}{''.join(map(_attribute, attributes.items()))}>"
    return Html(begin if element in _VOID else f"{begin}{join(*children)}</{element}>")


def join(*children: Child) -> Html:
    """Return children one after another."""
    return Html("".join(map(_child, children)))


def data(value: object) -> str:
    """Return JSON that can stand in a script element: no text in it can end the element."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, Iterable) and not isinstance(child, str):
        return join(*child)
    return text(child)


def _attribute(item: tuple[str, object]) -> str:
    name, value = item[0].rstrip("_").replace("_", "-"), item[1]
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    return _DELETE if code == 0x7F else f"\u2039U+{code:04X}\u203a"
