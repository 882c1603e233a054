from __future__ import annotations

import pytest

from agentctx.terminal.rules.scope import Scope, scope_of


@pytest.mark.parametrize(
    ("command", "scope"),
    [
        ("pytest -q", ("pytest", "")),
        ("cd x && python -m pytest -q | tail", ("pytest", "")),
        (".venv/bin/python tests/runtests.py a", ("runtests.py", "")),
        ("pip install -q x", ("pip", "install")),
        ("python3 -m pip install x", ("pip", "install")),
        ("git clone url", ("git", "clone")),
        ("python -c 'print()'", None),
        ("cat x", None),
        ("pytest; make", None),
        ("pytest | grep x", None),
        ("", None),
    ],
)
def test_a_scope_is_one_program_and_its_subcommand(
    command: str, scope: tuple[str, str] | None
) -> None:
    assert scope_of(command) == scope


def test_a_scope_is_named_by_its_words() -> None:
    assert str(Scope("git", "clone")) == "git clone"
    assert str(Scope("pytest")) == "pytest"
