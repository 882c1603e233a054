from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentctx.terminal.evidence import evidence
from agentctx.terminal.lines import split
from agentctx.terminal.marker import is_marker
from agentctx.terminal.reduce import Limits, reduce
from agentctx.terminal.rules.book import Book
from agentctx.terminal.rules.rule import Rule
from agentctx.terminal.rules.strip import strip
from agentctx.terminal.window import Window
from agentctx.tokens import counter
from agentctx.values import Observation, Reduction
from tests.terminal.rules.outputs import END, FAILURE, LOG, PASSES, rule

COUNT = counter().count
PATTERNS = st.sampled_from([".", "PASSED", "^tests/", "[a-z]", r"\d", "FAILED", "^ ", "error", "="])
WORDS = [
    "tests/test_a.py::test PASSED",
    "FAILED x",
    "error: bad",
    "",
    " ",
    "a" * 90,
    "=== 3 failed",
]
LINES = st.lists(st.sampled_from(WORDS) | st.text(max_size=40), max_size=60)
RULES = st.lists(
    st.builds(
        Rule,
        rule_id=st.sampled_from("abc"),
        trigger_regex=st.just("^pytest"),
        keep_patterns=st.lists(PATTERNS, max_size=2).map(tuple),
        strip_patterns=st.lists(PATTERNS, min_size=1, max_size=3).map(tuple),
        keep_first_n=st.integers(0, 6),
        keep_last_n=st.integers(0, 6),
        max_lines=st.none() | st.integers(0, 30),
        priority=st.integers(30, 65),
    ),
    min_size=1,
    max_size=3,
)


def reduced(output: str, *rules: Rule, exit_code: int | None = None) -> Reduction:
    return reduce(
        Observation(output=output, command="pytest -v", exit_code=exit_code),
        window=Window(),
        handle="a1b2c3",
        way="expand a1b2c3",
        count=COUNT,
        limits=Limits(),
        chosen=Book(rules).chosen,
    )


def test_what_passed_goes_and_what_failed_stays() -> None:
    made = reduced(LOG, rule(), exit_code=1)
    assert made.text.split("\n") == [
        "collected 61 items",
        "[agentctx: 60 of 63 lines hidden (passing tests) · lines 2-61 · expand a1b2c3]",
        FAILURE,
        END,
    ]
    assert made.rules == ("passed",)
    assert made.tokens_after < made.tokens_before / 5


def test_a_keep_pattern_beats_a_strip_pattern() -> None:
    made = reduced(LOG, rule(keep_patterns=("test_number_7 ",)))
    assert PASSES[7] in made.text.split("\n")
    assert PASSES[8] not in made.text.split("\n")


def test_another_rules_keep_pattern_beats_it_too() -> None:
    other = rule(rule_id="other", strip_patterns=("never",), keep_patterns=("test_number_7 ",))
    assert PASSES[7] in reduced(LOG, rule(), other).text.split("\n")


def test_first_and_last_lines_are_not_touched() -> None:
    made = reduced(LOG, rule(keep_first_n=11, keep_last_n=12)).text.split("\n")
    assert made[:11] == LOG.split("\n")[:11]
    assert made[-12:] == LOG.split("\n")[-12:]
    assert len(made) == 24


def test_a_rule_may_cap_the_rest_but_never_evidence_or_what_is_kept() -> None:
    chatter = [f"working on part {i} of it" for i in range(80)]
    output = "\n".join([*chatter[:40], "error: broken", "keep me", *chatter[40:]])
    made = reduced(output, rule(max_lines=10, strip_patterns=(), keep_patterns=("^keep",)))
    left = [line for line in made.text.split("\n") if not is_marker(line)]
    assert left == [*chatter[:10], "error: broken", "keep me"]


def test_blank_lines_between_hidden_ones_go_with_them() -> None:
    output = "\n\n".join(["collected", *PASSES, END])
    assert reduced(output, rule()).text.count("[agentctx: ") == 1


def test_a_few_short_lines_stay_as_they_are() -> None:
    output = "\n".join(
        ["x PASSED [ 1%]", *[f"line {i} of something else entirely" for i in range(80)]]
    )
    assert reduced(output, rule()).text == output


def test_lines_that_two_rules_hide_share_one_marker_with_true_counts() -> None:
    output = "\n".join(["start", *PASSES[:30], *[f"cc -O2 file_{i}.c" for i in range(30)], "end"])
    other = rule(rule_id="made", strip_patterns=("^cc ",), summary_header="compiled files")
    made = reduced(output, rule(), other)
    assert "[agentctx: 60 of 62 lines hidden (30 passing tests; 30 compiled files)" in made.text
    assert made.rules == ("passed", "made")


@given(lines=LINES, rules=RULES)
def test_no_rule_hides_evidence_kept_lines_or_the_ends(lines: list[str], rules: list[Rule]) -> None:
    found = split("\n".join(lines))
    keep = evidence(found)
    hidden = strip(found, [True] * len(found), keep, tuple(rules))
    gone = [i for run in hidden for i in range(run.start, run.stop)]
    assert len(set(gone)) == len(gone)
    for i in gone:
        assert not keep[i]
        if found[i].text.strip():
            assert not any(_hits(rule.keep_patterns, found[i].text) for rule in rules)
        assert any(r.keep_first_n <= i < len(found) - r.keep_last_n for r in rules)


@given(lines=LINES, rules=RULES)
def test_whatever_the_rules_say_lines_stay_whole_and_markers_count_true(
    lines: list[str], rules: list[Rule]
) -> None:
    output = "\n".join(lines)
    made = reduced(output, *rules)
    there = output.split("\n")
    place = 0
    for line, span in zip(made.text.split("\n"), made.spans, strict=True) if made.spans else ():
        assert span.first == place + 1
        place = span.last
        assert is_marker(line) if span.hidden else line == there[span.first - 1].rstrip("\r")
    assert made.tokens_after <= made.tokens_before


def _hits(patterns: tuple[str, ...], text: str) -> bool:
    from agentctx.patterns import compiled

    return any(compiled(pattern).search(text) for pattern in patterns)
