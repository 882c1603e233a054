from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentctx.errors import RuleError
from agentctx.terminal.rules import overlay
from agentctx.terminal.rules.book import Book
from agentctx.terminal.rules.overlay import Overlay
from agentctx.terminal.rules.rule import MOST, Rule, Sample
from agentctx.values import Observation

RULE = Rule(
    rule_id="a", trigger_regex="make|ninja", strip_patterns=("^x",), keep_first_n=0, keep_last_n=0
)
OTHER = Rule(rule_id="b", trigger_regex="npm", strip_patterns=("^y",))


def chosen(command: str, found: Overlay, now: float = 0) -> list[str]:
    seen = Observation(output="x\n" * 99, command=command)
    return [rule.rule_id for rule in Book(found.over([RULE], now)).chosen(seen, 99)]


def test_a_rule_is_not_used_for_the_commands_that_it_is_not_for() -> None:
    found = Overlay().spare("a", "^make")
    assert chosen("make", found) == []
    assert chosen("ninja", found) == ["a"]
    assert chosen("make && ninja", found) == []  # whose line is whose is not known


def test_that_ends_where_it_has_an_end() -> None:
    found = Overlay().spare("a", "^make", until=100.0)
    assert chosen("make", found, now=99) == []
    assert chosen("make", found, now=100) == ["a"]


def test_its_rules_replace_those_of_their_ids_and_retired_ones_are_gone() -> None:
    mine = Rule(rule_id="a", trigger_regex="npm", strip_patterns=("^z",))
    assert Overlay(rules=(mine, OTHER)).over([RULE], 0) == (mine, OTHER)
    assert Overlay(rules=(OTHER,), retired=frozenset("a")).over([RULE], 0) == (OTHER,)


def test_a_rule_that_is_not_for_too_much_is_for_nothing() -> None:
    found = Overlay()
    for number in range(MOST + 1):
        found = found.spare("a", f"^make{number}")
    assert found.over([RULE], 0) == ()


def test_it_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    sample = Sample(command="make é", output="\0\ud800\n", exit_code=1, hidden=("x",))
    odd = Rule(rule_id="c", trigger_regex="x", strip_patterns=("y",), max_lines=3, tests=(sample,))
    found = Overlay(rules=(RULE, odd), retired=frozenset(["z"])).spare("a", "^m", 1.5)
    overlay.save(found, tmp_path / "rules" / "overlay.json")
    assert overlay.load(tmp_path / "rules" / "overlay.json") == found
    assert overlay.load(tmp_path / "none.json") == Overlay()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        json.dumps({"rules": [7], "not_for": {}, "retired": []}),
        json.dumps({"rules": [], "not_for": {"a": {"(?=x)": 0}}, "retired": []}),
        json.dumps({"rules": [], "not_for": {"a": {"x": "soon"}}, "retired": []}),
        json.dumps({"rules": [], "not_for": [], "retired": []}),
        json.dumps({"rules": [], "not_for": {}, "retired": [7]}),
    ],
)
def test_what_is_no_overlay_is_refused_in_a_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "overlay.json"
    path.write_text(text)
    with pytest.raises(RuleError, match="remove it") as caught:
        overlay.load(path)
    assert "\n" not in str(caught.value)
