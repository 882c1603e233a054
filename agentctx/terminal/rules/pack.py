"""Packs: rules as people write them down, one TOML file for each family of commands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeAlias

from agentctx.errors import RuleError
from agentctx.terminal.lines import decode
from agentctx.terminal.rules.rule import Rule
from agentctx.terminal.rules.table import rule_of

Place: TypeAlias = Traversable | Path

SHIPPED = "agentctx.rules"
LARGEST = 1 << 20
"""Bytes of a pack; an output that a test of it names may have as many."""

_TABLE = re.compile(r"^[ \t]*\[\[\s*rule\s*\]\]", re.MULTILINE)


@cache
def shipped() -> tuple[Rule, ...]:
    """Return the rules that come with agentctx, without the outputs that prove them."""
    return tuple(rule for pack in packs() for rule in load(pack, known=True))


def known(folder: Path, refused: Callable[[RuleError], None]) -> tuple[Rule, ...]:
    """Return the rules that ship, and those of the packs in a folder, which replace them by id.

    A pack that cannot be used is told to `refused` and left out: what it would have hidden stays.
    """
    found = {rule.rule_id: rule for rule in shipped()}
    for path in sorted(folder.glob("*.toml")):
        try:
            found |= {rule.rule_id: rule for rule in load(path)}
        except RuleError as error:
            refused(error)
    return tuple(found.values())


def packs() -> tuple[Place, ...]:
    """Return the files that come with agentctx, sorted."""
    found = (path for path in resources.files(SHIPPED).iterdir() if path.name.endswith(".toml"))
    return tuple(sorted(found, key=lambda path: path.name))


def load(pack: Place, *, known: bool = False) -> tuple[Rule, ...]:
    """Return the rules of a pack, in its order; `with_outputs` reads what their tests name.

    Args:
        pack: the file.
        known: whether its patterns were tried before it was shipped, which takes time.

    Raises:
        RuleError: "file:line: rule: field: reason: remedy" of the first rule that cannot be used.
    """
    text = read(pack)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleError(f"{pack}: not valid TOML: {error}: mend it") from None
    given = table.pop("rule", [])
    if table or not isinstance(given, list):
        raise RuleError(f"{pack}: holds more than rules: write [[rule]] tables and nothing else")
    found: dict[str, Rule] = {}
    for number, one in enumerate(given):
        try:
            rule = rule_of(one, known=known)
            if rule.rule_id in found:
                raise RuleError(f"rule {rule.rule_id!r} is there twice: rename one")
        except RuleError as error:
            raise RuleError(f"{pack}:{_line(text, number)}: {error}") from None
        found[rule.rule_id] = rule
    return tuple(found.values())


def with_outputs(rule: Rule, pack: Place) -> Rule:
    """Return a rule whose tests hold the outputs that they named, which lie in `samples` beside it.

    Raises:
        RuleError: one cannot be read.
    """
    folder = (resources.files(SHIPPED) if not isinstance(pack, Path) else pack.parent) / "samples"
    tests = (replace(t, output=read(folder / t.file), file="") if t.file else t for t in rule.tests)
    return replace(rule, tests=tuple(tests))


def read(path: Place) -> str:
    """Return what stands in a file.

    Raises:
        RuleError: it cannot be read, or is too large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise RuleError(f"{path}: {error.strerror or 'cannot be read'}: name a file") from None
    if len(data) > LARGEST:
        raise RuleError(f"{path}: larger than {LARGEST >> 20} MiB: split it")
    return decode(data)


def _line(text: str, number: int) -> int:
    """Return the line on which the table of a rule begins."""
    starts = [found.start() for found in _TABLE.finditer(text)]
    return text.count("\n", 0, starts[number]) + 1 if number < len(starts) else 1
