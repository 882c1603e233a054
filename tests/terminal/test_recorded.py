"""Real command outputs: what their labels require is kept, whatever is hidden."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentctx.terminal.marker import is_marker
from agentctx.terminal.reduce import Limits, reduce
from agentctx.terminal.screen import screen
from agentctx.terminal.window import Window
from agentctx.tokens import counter
from agentctx.values import Observation, Reduction
from tests.shared import DATA, needs_shared

COUNT = counter().count
OUTPUTS = DATA / "outputs"


def reduced(output: str, command: str, exit_code: int | None, limits: Limits) -> Reduction:
    return reduce(
        Observation(output=output, command=command, exit_code=exit_code),
        window=Window(),
        handle="a1b2c3",
        way="expand a1b2c3",
        count=COUNT,
        limits=limits,
    )


def cases() -> Iterator[Any]:
    for path in sorted((OUTPUTS / "tokf").rglob("*.toml")) if OUTPUTS.is_dir() else ():
        case = tomllib.loads(path.read_text(encoding="utf-8"))
        folder = path.parent.relative_to(OUTPUTS / "tokf")
        command = " ".join(folder.parts).removesuffix("_test").replace("test-", "test ")
        yield pytest.param(path, case, command, id=str(folder / path.stem))


def output_of(path: Path, case: dict[str, Any]) -> str:
    if "inline" in case:
        return str(case["inline"])
    fixture = case["fixture"]
    found = next(p / fixture for p in path.parents if (p / fixture).is_file())
    return found.read_text(encoding="utf-8", errors="replace")


def required(case: dict[str, Any], raw: str) -> list[str]:
    """The strings that the labels want to see, as far as the raw output has them at all."""
    wanted = [
        str(expect[kind])
        for expect in case["expect"]
        for kind in ("contains", "starts_with", "equals")
        if kind in expect
    ]
    return [text for text in wanted if text and text in raw]


@needs_shared
@pytest.mark.parametrize("limits", [Limits(), Limits(run=2000), Limits(run=None, read=None)])
@pytest.mark.parametrize(("path", "case", "command"), list(cases()))
def test_what_the_labels_require_is_kept(
    path: Path, case: dict[str, Any], command: str, limits: Limits
) -> None:
    raw = output_of(path, case)
    text = reduced(raw, command, case["exit_code"], limits).text
    for wanted in required(case, raw):
        assert wanted in text


@needs_shared
def test_every_recorded_output_stays_verbatim_and_complete() -> None:
    files = [path for path in sorted(OUTPUTS.rglob("*.txt")) if path.name != "README.txt"]
    assert len(files) > 100
    hidden = 0
    for path in files:
        raw = path.read_text(encoding="utf-8", errors="replace")
        made = reduced(raw, "make", 0, Limits(run=400))
        shown = iter([line.text for line in screen(raw)])
        cut = [span.hidden == "long line" for span in made.spans[1:]] + [False]
        for line, is_cut in zip(made.text.split("\n"), cut, strict=bool(made.spans)):
            assert is_cut or is_marker(line) or line in shown, path
        covered = {n for span in made.spans for n in range(span.first, span.last + 1)}
        assert not made.spans or covered == set(range(1, raw.count("\n") + 2)), path
        hidden += bool(made.handle)
    assert hidden > 10
