"""Template: what lines of a kind have in common, as an RE2 pattern."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Za-z]{2,24}[:,.]?|[-=+*#|>]{1,3}")
_RUN = re.compile(r"([.=*#_-])\1{1,}")
_LONGEST, _MOST = 400, 24
_LITERAL = 4
"""Letters that a template has to spell out: fewer would match anything."""


def template(line: str) -> str:
    r"""Return the pattern of a line: plain words as they are, everything else `\S+`; "" if too vague.

    `test_a (x.Y.test_a) ... ok` becomes `^\S+ +\S+ +\.{2,} +ok\s*$`.
    """
    tokens = line.split()
    if not tokens or len(tokens) > _MOST:
        return ""
    parts = [_part(token) for token in tokens]
    spelt = sum(len(token) for token, part in zip(tokens, parts, strict=True) if part != r"\S+")
    indent = r"\s*" if line[:1].isspace() else ""
    pattern = f"^{indent}{' +'.join(parts)}\\s*$"
    return pattern if spelt >= _LITERAL and len(pattern) <= _LONGEST else ""


def _part(token: str) -> str:
    if _RUN.fullmatch(token):
        return f"{re.escape(token[0])}{{2,}}"
    return re.escape(token) if _WORD.fullmatch(token) else r"\S+"
