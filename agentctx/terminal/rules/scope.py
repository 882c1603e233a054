"""Scope: the program and subcommand that an output is of; what is known of rules is kept by it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from agentctx.terminal.command import Output, classify, printed

_LONGEST = 60
_SUBCOMMANDS = frozenset(
    "git pip pip3 npm pnpm yarn cargo go docker podman kubectl apt apt-get conda mamba uv poetry helm"
    " terraform dotnet mvn gradle bundle composer manage.py".split()
)


class Scope(NamedTuple):
    """Such as `git clone`, or `pytest` with no subcommand."""

    program: str
    subcommand: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, self))

    @property
    def trigger(self) -> str:
        """The pattern of its commands."""
        name, subcommand = map(re.escape, self)
        named = rf"(?:^|[/ ]){name}"
        return rf"{named} (?:-\S+ )*{subcommand}\b" if subcommand else rf"{named}\b"


def scope_of(command: str, tool: str = "") -> Scope | None:
    """Return the scope of a command that prints one log, None if it prints none, or several."""
    commands = printed(command)
    if len(commands) != 1 or classify(command, tool) is not Output.RUN:
        return None
    words = commands[0].split()
    name = words[0].rpartition("/")[2]
    found = _python(words[1:]) if name.startswith("python") else _named(name, words[1:])
    plain = found is not None and str(found).isprintable() and len(str(found)) <= _LONGEST
    return found if plain else None


def _named(name: str, words: Sequence[str]) -> Scope:
    if name not in _SUBCOMMANDS:
        return Scope(name)
    return Scope(name, next((word for word in words if not word.startswith("-")), ""))


def _python(words: Sequence[str]) -> Scope | None:
    for number, word in enumerate(words):
        if word == "-m":
            rest = words[number + 1 :]
            return _named(rest[0], rest[1:]) if rest else None
        if not word.startswith("-"):
            name = word.rpartition("/")[2]
            runs = word.endswith(".py") or "/" in word
            return _named(name, words[number + 1 :]) if runs else None
        if word == "-c":
            return None
    return None
