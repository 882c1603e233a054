"""The tests that each shipped rule brings."""

from __future__ import annotations

import pytest

from agentctx.terminal.rules import pack
from agentctx.terminal.rules.book import Book
from agentctx.terminal.rules.rule import Rule, Sample
from agentctx.terminal.trial import alone, applied, faults
from agentctx.values import Observation

RULES = [(place, rule) for place in pack.packs() for rule in pack.load(place)]


@pytest.mark.parametrize(("place", "rule"), RULES, ids=[rule.rule_id for _, rule in RULES])
def test_a_shipped_rule_does_what_its_tests_say(place: pack.Place, rule: Rule) -> None:
    assert rule.tests
    assert list(faults(pack.with_outputs(rule, place))) == []
    assert any(sample.hidden for sample in rule.tests)
    assert all(sample.source for sample in rule.tests)


NAMES = [f"src/lib/module_{number}.py" for number in range(125)]


@pytest.mark.parametrize(
    "command",
    [
        *(
            "tar --list -f a.tgz",
            "tar tzf a.tgz",
            "tar -tvf a.tgz",
            "tar -xOf a.tgz",
            "bsdtar -tf a",
        ),
        *("unzip -Z1 a.zip", "unzip -l a.zip", "unzip -p a.zip", "7z l a.7z", "zip -sf a.zip"),
        *("rsync -avn a b", "rsync -a --dry-run a b", "rsync --list-only a"),
    ],
)
def test_a_list_that_was_asked_for_stays(command: str) -> None:
    seen = Observation(output="\n".join(NAMES), command=command)
    made = alone(seen, Book(pack.shipped()))
    assert made.text == seen.output


def test_numbered_lines_of_a_script_are_no_training() -> None:
    [rule] = [rule for rule in pack.shipped() if rule.rule_id == "training.steps"]
    lines = [f"[{number}] item-{number} price: 3.{number}" for number in range(60)]
    made = applied(rule, Sample(command="python list.py", output="\n".join(lines)))
    assert made.text == "\n".join(lines)
