# pathlib alone would take 14 ms of every command.
# ruff: noqa: PTH110
"""The arguments of `agentctx exec`, read without a parser that would cost more than the command."""

from __future__ import annotations

import os

USAGE = """\
Usage: agentctx exec [OPTIONS] [--] COMMAND [ARGUMENT]…
       agentctx exec [OPTIONS] [--] 'a shell command | with its syntax'

Run a command; reduce what an agent's host reads of it. The exit code and signals are the command's.

What a terminal shows, a file stores or another program of the pipeline reads is not touched. Output
that a host captures is held until the command ends, falls quiet or has printed much, and is then
reduced; 'agentctx expand' brings all of it back.

Options:
  -c, --command TEXT  run TEXT through the shell
  --reduce            reduce, whoever reads (a host that captures through a terminal or a file)
  --raw               touch nothing
  --hold SECONDS      print what is held once the command is quiet for so long (default 5)
  --shell PATH        the shell for -c (default $SHELL, or sh)
  --json              print one JSON object per piece of output, and one with the exit code
  -h, --help          show this

Environment: AGENTCTX_EXEC=auto|reduce|raw sets the default of --reduce and --raw;
AGENTCTX_MODE=off is raw, too.
"""

_SYNTAX = frozenset(" \t\n|&;<>()$`\"'*?[]#~={}!\\")
_FLAGS = {"--reduce": "reduce", "--raw": "raw"}
_POLICIES = ("auto", "reduce", "raw")


class Wrong(Exception):
    """The command line cannot be understood; the message says why and what to write."""


class Asked:
    """What the command line asks for.

    Attributes:
        argv: the program and its arguments.
        text: the command as its author would read it.
        policy: auto, reduce or raw.
        hold: seconds of quiet after which held output is printed.
        json: whether to print JSON.
        help: whether only the usage is wanted.
    """

    def __init__(self) -> None:
        """Start from the defaults and the environment."""
        self.argv: list[str] = []
        self.text = ""
        self.policy = _default_policy()
        self.hold = 5.0
        self.shell = os.environ.get("SHELL") or "/bin/sh"
        self.json = self.help = False


def parse(args: list[str]) -> Asked:
    """Return what the arguments after `exec` ask for.

    Raises:
        Wrong: they cannot be understood.
    """
    asked, rest, script = Asked(), list(args), ""
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "--":
            break
        if option in ("-c", "--command"):
            script = _value(option, rest)
        else:
            _set(asked, option, rest)
    if script:
        rest = [asked.shell, "-c", script, *rest]
    elif not rest and not asked.help:
        raise Wrong("no command given: write e.g. agentctx exec -- git status")
    elif len(rest) == 1 and _needs_shell(rest[0]):
        script, rest = rest[0], [asked.shell, "-c", rest[0]]
    asked.argv, asked.text = rest, script or _quoted(rest)
    return asked


def _set(asked: Asked, option: str, rest: list[str]) -> None:
    if option in _FLAGS:
        asked.policy = _FLAGS[option]
    elif option == "--hold":
        asked.hold = _seconds(_value(option, rest))
    elif option == "--shell":
        asked.shell = _value(option, rest)
    elif option == "--json":
        asked.json = True
    elif option in ("-h", "--help"):
        asked.help = True
    else:
        raise Wrong(f"no such option: {option}: put -- before a command that begins with a dash")


def _value(option: str, rest: list[str]) -> str:
    if not rest or not rest[0]:
        raise Wrong(f"{option} needs a value: see agentctx exec --help")
    return rest.pop(0)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 86_400:
        raise Wrong(f"--hold {text!r} is no number of seconds: write e.g. --hold 5")
    return value


def _default_policy() -> str:
    if os.environ.get("AGENTCTX_MODE", "").lower() == "off":
        return "raw"
    policy = os.environ.get("AGENTCTX_EXEC") or "auto"
    if policy not in _POLICIES:
        raise Wrong(f"AGENTCTX_EXEC={policy!r} is unknown: use {', '.join(_POLICIES)}")
    return policy


def _needs_shell(word: str) -> bool:
    """Say whether a lone argument is a line for the shell and not the path of a program."""
    return not _SYNTAX.isdisjoint(word) and not os.path.exists(word)


def _quoted(argv: list[str]) -> str:
    return " ".join(
        word if word and _SYNTAX.isdisjoint(word) else "'" + word.replace("'", "'\\''") + "'"
        for word in argv
    )
