from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.patterns import compiled
from agentctx.terminal.rules import pack
from agentctx.terminal.rules.named import commands, named
from agentctx.terminal.rules.rule import LONGEST, Rule
from agentctx.terminal.rules.scope import Scope

APT = r"(?:^|/)(?:apt|apt-get) (?:-\S+ )*(?:install|upgrade)\b|^(?:\S+/)?dpkg (?:-\S+ )*-i\b"


@pytest.mark.parametrize(
    ("trigger", "found"),
    [
        (APT, ["apt install", "apt upgrade", "apt-get install", "apt-get upgrade", "dpkg -i"]),
        (r"(?:^|/)d?mypy\b|^\S*python[\d.]* (?:-\S+ )*-m mypy\b", ["mypy", "python -m mypy"]),
        (r"(?:^|/)(?:pytest|py\.test)\b", ["pytest", "py.test"]),
        (r"(?i)\bmake[[:space:]]+all$", ["make…all"]),
        (r"(?P<name>a){0,1}b{2}[]x]c+?", ["b…c"]),
        (r"\p{Greek}x\sy", ["…x y"]),
        (r"^\S+$", []),
    ],
)
def test_a_trigger_names_commands_without_what_may_be_left_out(
    trigger: str, found: list[str]
) -> None:
    assert commands(trigger) == found


def test_what_several_begin_with_is_said_once_and_the_rest_is_a_sign() -> None:
    assert named(APT, 80) == "apt install, upgrade, apt-get install, upgrade, dpkg -i"
    assert named(APT, 24) == "apt install, upgrade, …"
    assert named(APT, 23) == "apt install, upgrade, …"
    assert named(APT, 22) == "apt install, …"
    assert named(APT, 8) == "apt ins…"


def test_a_trigger_that_names_nothing_is_shown_itself() -> None:
    assert named(r"^\S+$", 20) == r"^\S+$"
    nested = "(" * 255 + "a" + ")" * 255
    assert compiled(nested).search("a")
    assert named(nested, 5) == "((((…"


@pytest.mark.parametrize("rule", pack.shipped(), ids=lambda rule: rule.rule_id)
def test_rules_that_ship_name_commands_that_they_are_for(rule: Rule) -> None:
    exact = [text for text in commands(rule.trigger_regex) if "…" not in text]
    assert exact
    assert all(compiled(rule.trigger_regex).search(text) for text in exact)


def test_a_learnt_trigger_is_its_scope() -> None:
    assert commands(Scope("git", "clone").trigger) == ["git clone"]
    assert commands(Scope("run-tests.sh").trigger) == ["run-tests.sh"]


@given(st.text(r"ab \/.|()[]^$*+?{}0,1:-", max_size=LONGEST) | st.text(), st.integers(1, 100))
def test_any_text_fits_its_room(trigger: str, room: int) -> None:
    assert len(named(trigger, room)) <= room
