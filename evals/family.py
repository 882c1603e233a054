"""Which kind of command an observation answers."""

from __future__ import annotations

import re

_SEPARATOR = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_PREFIX = re.compile(r"^(?:\s*(?:[A-Za-z_]\w*=\S*|sudo|time|timeout\s+\S+|env|nohup|\(|!))+\s+")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n.*?^\s*\1\s*$", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)

_COMMANDS: tuple[tuple[str, str], ...] = (
    ("django tests", r"\S*runtests\.py|\S*python\S*\s+(?:-\S+\s+)*\S*runtests\.py|\S*manage\.py test"),
    ("tests", r"pytest|py\.test|tox|nosetests|unittest|bin/test|\S*python\S*\s+(?:-\S+\s+)*-m\s+"
              r"(?:pytest|unittest|nose)|\S*python\S*\s+\S*bin/(?:test|doctest)|(?:npm|yarn|cargo|go) test|ctest"),
    ("install", r"pip3?|\S*python\S*\s+-m\s+(?:pip|ensurepip)|uv|apt(?:-get)?|conda|mamba|npm|yarn|"
                r"\S*python\S*\s+setup\.py"),
    ("build", r"make|cmake|gcc|g\+\+|clang|cargo|go|ninja|meson|sphinx-build|mypy|pylint|flake8|ruff|"
              r"\S*python\S*\s+-m\s+(?:mypy|pylint|flake8|sphinx|build)|bash|sh|\./\S+"),
    ("python", r"\S*python[\d.]*|ipython"),
    ("git diff", r"git\s+(?:-\S+\s+\S+\s+)*(?:diff|show|log|blame|stash\s+show)"),
    ("git", r"git"),
    ("search", r"grep|egrep|rg|ag|find|ack|locate|which"),
    ("read", r"cat|sed|head|tail|nl|less|more|awk|ls|wc|tree|stat|file|diff|pwd|du"),
)  # fmt: skip
_MATCHERS = tuple((name, re.compile(rf"(?:{pattern})(?=\s|$)")) for name, pattern in _COMMANDS)
_TOOLS = {
    "read_text_file": "read",
    "read_multiple_files": "read",
    "grep_search": "search",
    "search_files": "search",
    "edit_file": "edit",
    "write_file": "edit",
}
EXECUTION = frozenset({"django tests", "tests", "install", "build", "python", "git"})
"""The families whose output reports on something that ran."""


def family(command: str, tool: str = "") -> str:
    """Return the family of a command's output: that of its first part that is known.

    What runs something outranks what reads, so `cat setup.py && pytest` is "tests".
    """
    if tool in _TOOLS:
        return _TOOLS[tool]
    found = {_part(part) for part in _parts(command)}
    return next((name for name, _ in _COMMANDS if name in found), "other")


def runs(command: str, tool: str = "") -> bool:
    """Tell whether the output is that of an execution, not of reading something."""
    return family(command, tool) in EXECUTION


def _parts(command: str) -> list[str]:
    bare = _QUOTED.sub("''", _HEREDOC.sub("<<", command))
    return [part.split("|", 1)[0].strip() for part in _SEPARATOR.split(bare)]


def _part(part: str) -> str:
    part = _PREFIX.sub("", part)
    return next((name for name, matcher in _MATCHERS if matcher.match(part)), "")
