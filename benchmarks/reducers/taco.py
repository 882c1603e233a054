"""TACO's six seed rules, made anew from their published fields; what it does without a model.

arXiv 2604.19572 and its code (Apache-2.0), `compression/seed_rules.py`, `dynamic_filter.py` and
`output_filter.py` as of 2b04898: an output with a word of error anywhere is left alone, then each
rule whose trigger is found in the whole command drops the lines between head and tail that a strip
pattern matches, or that are beyond `max_lines`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ERRORS = re.compile(
    r"Error|ERROR|error:|Failed|FAILED|failed|Exception|Traceback|command not found|No such file"
    r"|Permission denied|fatal:|E:|ModuleNotFoundError|ImportError|SyntaxError|TypeError"
    r"|ValueError|KeyError|AttributeError|RuntimeError"
)
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07")
_LEAST = 5


@dataclass(frozen=True, slots=True)
class Seed:
    """One of its rules; `strip` and `keep` are searched in each line."""

    trigger: str
    strip: str
    keep: str = r"(?!)"
    first: int = 5
    last: int = 10
    most: int | None = None


SEEDS = (
    Seed(
        r"git\s+(clone|fetch|pull|push|checkout|submodule)",
        r"^(remote: )?(Counting|Compressing|Enumerating|Receiving|Resolving|Writing|Updating files)"
        r"|^Unpacking objects|\d+% \(\d+/\d+\)",
        first=3,
        last=5,
    ),
    Seed(r"<<\s*['\"]?\w+", r"^> ", first=2, last=3),
    Seed(
        r"pip3?\s+install",
        r"^\s*(Downloading|Using cached|Collecting|Requirement already satisfied|Preparing metadata"
        r"|Installing build dependencies|Getting requirements)|━",
        first=3,
        last=5,
    ),
    Seed(
        r"apt(-get)?\s+(install|update|upgrade)",
        r"^(Get:|Hit:|Ign:|Reading |Building |Preparing to unpack|Unpacking |Selecting |Setting up "
        r"|Processing triggers|\(Reading database)",
        first=2,
        last=2,
    ),
    Seed(r"\b(gcc|g\+\+|clang|cc|make|cmake)\b", r"^.{200,}$", most=30),
    Seed(r"openssl|ssh-keygen|gpg", r"[.+]{20,}"),
)


def shorten(command: str, text: str, exit_code: int | None) -> str:
    """Return what the six seed rules make of an output."""
    clean = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    if not command or _ERRORS.search(clean):
        return clean
    for seed in SEEDS:
        if re.search(seed.trigger, command, re.IGNORECASE):
            clean = _applied(seed, clean)
    if len(clean) >= 0.8 * len(text):
        return clean
    return (
        f"[Terminal output compressed: {len(text)} -> {len(clean)} chars. If you need specific "
        f"information that appears missing, state what you need.]\n{clean}"
    )


def _applied(seed: Seed, text: str) -> str:
    lines = text.split("\n")
    if len(lines) <= seed.first + seed.last + _LEAST:
        return text
    head, tail = lines[: seed.first], lines[len(lines) - seed.last :]
    body = [
        line
        for line in lines[seed.first : len(lines) - seed.last]
        if re.search(seed.keep, line) or not re.search(seed.strip, line)
    ]
    return "\n".join([*head, *body[: seed.most], *tail])
