"""Every command and option that a text, an example or a message of ours names is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
import typer

from agentctx.cli.app import app
from agentctx.cli.arguments import USAGE
from tests.shared import ROOT

TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "AGENTS.md")),
    *(ROOT / name / "README.md" for name in ("evals", "rules", "agentctx/data")),
    *sorted((ROOT / "docs").glob("*.md")),
]
PROGRAMS = [
    path
    for top in ("agentctx", "adapters", "evals", "examples")
    for path in sorted((ROOT / top).rglob("*.py"))
]
CODE = re.compile(r"^```sh\n(.*?)^```$|`([^`\n]+)`", re.M | re.S)
MAKE = re.compile(r"^(?:\$ )?make ([a-z][a-z-]*)", re.M)
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
CALLED = re.compile(
    r"(?:^ +|\b(?:run|see|say|e\.g\.|and) |&& |['`($] ?|bin/|(?=agentctx (?:memory|eval|rules) ))"
    r"agentctx((?: [a-z][a-z-]*)+)(.*?)(?= (?:and |&& )?agentctx |$)",
    re.M,
)
"""A command with what follows it; elsewhere in a sentence "agentctx" begins one if a group follows."""

TOP: Any = typer.main.get_command(app)


def short(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", TEXTS, ids=short)
def test_every_command_in_the_texts_exists(path: Path) -> None:
    code = "\n".join(map("".join, CODE.findall(path.read_text(encoding="utf-8"))))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(MAKE.findall(code)) <= targets
    assert [*unknown(indent(code, " "))] == []
    assert {line.split()[0] for line in code.split("\n") if line.startswith("--")} <= every()


@pytest.mark.parametrize("path", PROGRAMS, ids=short)
def test_every_command_that_a_program_names_exists(path: Path) -> None:
    said = [*strings(ast.parse(path.read_text(encoding="utf-8")))]
    assert [name for text in said for name in unknown(text)] == []
    if "agentctx/cli" in short(path):
        assert {one for text in said for one in OPTION.findall(text) if one[:2] == "--"} <= every()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("run agentctx memory mend", ["agentctx memory mend"]),
        ("  agentctx expand a1 --line 1:2", ["agentctx expand --line"]),
        ("'agentctx reduse'", ["agentctx reduse"]),
        ("see agentctx memory history --graph and agentctx stats --sum", ["agentctx stats --sum"]),
        ("  agentctx exec --raw -- pytest --lf  # what agentctx keeps", []),
    ],
)
def test_what_is_not_there_is_found(text: str, names: list[str]) -> None:
    assert [*unknown(text)] == names


def unknown(text: str) -> Iterator[str]:
    """Yield what a text says of the command line that is not there."""
    for words, rest in CALLED.findall(text):
        command, path = TOP, "agentctx"
        for word in words.split():
            if command is None or not hasattr(command, "commands"):
                break  # what follows is an argument, or prose
            command, path = command.commands.get(word), f"{path} {word}"
        given = OPTION.findall(rest.split(" -- ")[0])
        if command is None:
            yield path
        else:
            yield from (f"{path} {one}" for one in given if one not in options(command))


def options(command: Any) -> set[str]:
    """Return the options of a command; `exec` reads its own."""
    if command.name == "exec":
        return {*OPTION.findall(USAGE)}
    return {"--help", "-h", *(name for one in command.params for name in one.opts)}


def every(command: Any = TOP) -> set[str]:
    """Return the options of a command and of all below it."""
    below = getattr(command, "commands", {}).values()
    return options(command).union(*map(every, below))


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a program; what is put into them is a "…"."""
    inner = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(getattr(part, "value", "…")) if isinstance(part, ast.Constant) else "…"
                for part in node.values
            )
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner
        ):
            yield node.value
