"""What the authors of another reducer, tokf, say has to be left of real outputs of theirs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentctx.terminal.rules import pack
from agentctx.terminal.rules.book import Book
from agentctx.terminal.trial import alone
from agentctx.values import Observation
from tests.shared import DATA, needs_shared

TOKF = DATA / "outputs" / "tokf"


def command(path: Path) -> str:
    """Return the command that a case is of: `git/log_test/long.toml` is of `git log`."""
    words = path.relative_to(TOKF).parts[:-1]
    return " ".join(words).removesuffix("_test").replace("_", " ")


def cases() -> Iterator[tuple[str, str, int, str]]:
    """Yield the command, the output, the exit code and a text that has to be left of it."""
    for path in sorted(TOKF.rglob("*.toml")):
        case = tomllib.loads(path.read_text(encoding="utf-8"))
        fixture = path.parent / case.get("fixture", "")
        raw = fixture.read_text(encoding="utf-8") if fixture.is_file() else case.get("inline", "")
        wanted = [each["contains"] for each in case.get("expect", []) if "contains" in each]
        for text in wanted:
            if text in raw:
                yield command(path), raw, case.get("exit_code", 0), text


@needs_shared
def test_what_has_to_be_left_is_left() -> None:
    book, found = Book(pack.shipped()), 0
    for line, raw, code, text in cases():
        found += 1
        seen = Observation(output=raw, command=line, exit_code=code)
        made = alone(seen, book)
        if text not in made.text:
            pytest.fail(f"{line}: {text!r} went:\n{made.text}")
    assert found > 60
