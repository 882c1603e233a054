"""What an agent types to see hidden lines when its only tool is a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from agentctx.terminal.command import expands
from agentctx.tools import EXPAND
from agentctx.values import ToolCall

HINT = "agentctx expand {handle}"
USAGE = "agentctx expand HANDLE [--lines A:B] [--grep RE]"

_OPTION = re.compile(r"-{0,2}(lines|grep)(?:=(.*))?", re.DOTALL)
_OPERATORS = set("();<>|&")
_ALONE = f"error: `agentctx expand` works alone only and nothing was run: {USAGE}"


def asked(command: str) -> ToolCall | str | None:
    """Return the call of `expand` that a command is, the reason why it cannot be answered, or None.

    A command that also does something else is refused: what stands behind a pipe would get a page
    where it expects the whole.
    """
    if not expands(command):
        return None
    try:
        words = _without_chdir(_words(command))
    except ValueError:  # no shell would run it either
        return None
    if words[-3:] == ["2", ">&", "1"]:
        words = words[:-3]
    if "\n" in command.strip() or words[:2] != HINT.split()[:2] or any(map(_operator, words)):
        return _ALONE
    return _call(words[2:])


def _call(words: Sequence[str]) -> ToolCall | str:
    arguments = {"handle": ""}
    rest = iter(words)
    for word in rest:
        option = _OPTION.fullmatch(word)
        if option and (option[2] is not None or word.startswith("-")):
            arguments[option[1]] = next(rest, "") if option[2] is None else option[2]
        elif word.startswith("-") or arguments["handle"]:
            return f"error: {word!r} is not understood: {USAGE}"
        else:
            arguments["handle"] = word
    return ToolCall(id="", name=EXPAND.name, arguments=arguments)


def _words(command: str) -> list[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars="".join(_OPERATORS))
    lexer.whitespace_split = True
    lexer.commenters = ""
    return list(lexer)


def _without_chdir(words: list[str]) -> list[str]:
    """Drop the `cd FOLDER &&` that agents like to put first."""
    return words[3:] if words[:1] == ["cd"] and words[2:3] in (["&&"], [";"]) else words


def _operator(word: str) -> bool:
    return bool(word) and set(word) <= _OPERATORS
