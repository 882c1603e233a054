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
    """One of its rules; `strip` and `keep` are searched in each line, case aside."""

    trigger: str
    strip: str
    keep: str
    header: str
    first: int
    last: int
    most: int | None = None


_OBJECTS = r"(?:Counting|Compressing|Receiving) objects|Resolving deltas"
SEEDS = (
    Seed(
        r"\bgit\b\s+(clone|fetch|pull|push|checkout|submodule)",
        rf"Enumerating objects: \d+, done\.|(?:{_OBJECTS}): +\d+% \(\d+/\d+\)"
        rf"|(?:{_OBJECTS}): \d+, done\.|remote: (?:Enumerating|Counting|Compressing) objects:"
        r"|remote: Total \d+|^hint: ",
        r"\b(?:fatal|error|warning):|Already up to date|Cloning into|branch\s+\S+\s+->",
        "[git output compressed — transfer progress removed]",
        first=3,
        last=5,
    ),
    Seed(
        r"(cat|tee)\s+.*<<\s*['\"]?\w+['\"]?|cat\s+>\s*\S+\s*<<",
        r"^> ",
        r"^(?:ba)?sh: |: event not found|: command not found|syntax error|: No such file or directory",
        "[heredoc echo compressed]",
        first=2,
        last=3,
        most=10,
    ),
    Seed(
        r"\bpip3?\s+install\b",
        r"^\s*(?:Collecting|Downloading) \S+|^\s*(?:Requirement already satisfied|Using cached)"
        r"|^\s*Installing collected packages",
        r"\berror:|Successfully installed|Could not|Traceback|WARNING:",
        "[pip install output compressed]",
        first=3,
        last=5,
    ),
    Seed(
        r"\bapt(?:-get)?\s+(install|update|upgrade)\b",
        r"^(?:Setting up|Unpacking) \S+|^Get:\d+|^Preparing to unpack|^Selecting previously unselected",
        r"\bE:|\bErr:|\berror:|Unable to locate package|Reading package lists|Building dependency tree",
        "[apt install output compressed]",
        first=2,
        last=2,
    ),
    Seed(
        r"\b(gcc|g\+\+|clang|cc|make|cmake)\b",
        r"^\s*(gcc|g\+\+|clang|cc)\s+.{200,}",
        r"\b(?:error|warning):|\bundefined reference|make\[\d+\]: \*\*\*|^ld:",
        "[compiler output compressed — long command lines truncated]",
        first=5,
        last=10,
        most=30,
    ),
    Seed(
        r"\b(openssl|ssh-keygen|gpg)\b",
        r"[.+]{20,}",
        r"\berror:|unable to|Generating|Your identification has been saved|The key fingerprint is",
        "[key generation progress compressed]",
        first=5,
        last=5,
    ),
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
    body = lines[seed.first : len(lines) - seed.last]
    kept = [line for line in body if _found(seed.keep, line) or not _found(seed.strip, line)]
    kept = kept[: seed.most]
    gone = len(body) - len(kept)
    header = [f"{seed.header} [{gone} lines removed]"] if gone else []
    return "\n".join([*head, *header, *kept, *tail])


def _found(pattern: str, line: str) -> bool:
    return re.search(pattern, line, re.IGNORECASE) is not None
