from __future__ import annotations

import pytest

from agentctx.errors import RuleError
from agentctx.terminal.marker import is_marker, lines_hidden
from agentctx.terminal.rules.rule import Status, check
from tests.terminal.rules.outputs import rule


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"strip_patterns": (r"(?=x)y",)}, "strip_patterns.*not an RE2 pattern"),
        ({"strip_patterns": (r"(a)\1",)}, "not an RE2 pattern"),
        ({"trigger_regex": "("}, "trigger_regex.*not an RE2 pattern"),
        ({"strip_patterns": ("x*",)}, "matches the empty text"),
        ({"keep_patterns": ("^",)}, "keep_patterns.*matches the empty text"),
        ({"strip_patterns": ("x" * 513,)}, "512 at most: split it"),
        ({"strip_patterns": tuple(map(str, range(21)))}, "20 at most: join"),
        ({"strip_patterns": ()}, "hides nothing"),
        ({"keep_first_n": -1}, "below 0"),
        ({"max_lines": -5}, "below 0"),
        ({"rule_id": ""}, "printable"),
        ({"rule_id": "a\nb"}, "printable"),
        ({"output_match": "["}, "output_match.*not an RE2 pattern"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused_in_one_line(
    given: dict[str, object], reason: str
) -> None:
    with pytest.raises(RuleError, match=reason) as raised:
        check(rule(**given))
    assert "\n" not in str(raised.value)


def test_a_rule_that_matches_everything_but_nothing_is_a_rule() -> None:
    check(rule(strip_patterns=(".",)))


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.ACTIVE])
def test_only_an_active_rule_works(status: Status) -> None:
    assert rule().works
    assert not rule(status=status).works
    assert not rule(confidence=0.29).works


@pytest.mark.parametrize("words", ["a] b [agentctx: x", "x\ny", "a (b); c · d", "", "w" * 300])
def test_what_it_calls_its_lines_never_breaks_a_marker(words: str) -> None:
    reason = rule(summary_header=words).reason
    line = lines_hidden(total=9, reasons={reason: 3}, first=1, last=3, way="expand abc123")
    assert reason
    assert is_marker(line)
    assert "\n" not in line
