"""Rules that a model proposes: what it is shown, and what becomes of what it says."""

from __future__ import annotations

import pytest

from agentctx.errors import RedactionError
from agentctx.learn.case import Case
from agentctx.learn.lesson import Lesson, learn
from agentctx.learn.proposer import PROMPT, propose, uncovered
from agentctx.learn.reply import REPLY_SCHEMA
from agentctx.terminal.rules.rule import Rule, Sample, Status
from agentctx.terminal.rules.scope import Scope
from agentctx.terminal.trial import applied
from tests.learn.outputs import case
from tests.learn.proposals import COMMAND, ERROR, GOOD, NEEDED, STATUS, Scripted, history


def proposed(says: object, cases: list[Case] | None = None) -> list[Lesson]:
    """Return what becomes of what a model says; the miner finds nothing here."""
    return list(learn(cases or history(), ask=Scripted(says)))


def test_the_miner_alone_finds_nothing_here() -> None:
    assert list(learn(history())) == []


def test_a_good_proposal_becomes_active_through_the_gate() -> None:
    [lesson] = proposed([GOOD])
    assert lesson.why == ""
    assert lesson.rule.rule_id == "proposed.steps"
    assert lesson.rule.status is Status.ACTIVE
    assert lesson.rule.trigger_regex == Scope("fetchall").trigger
    assert lesson.rule.provenance == "proposed by scripted from 2 outputs of fetchall"
    assert lesson.rule.tests
    assert lesson.held_out.saved > 1_000


@pytest.mark.parametrize(
    ("patterns", "why"),
    [
        (["^never there$"], "proven on 0 outputs"),
        ([r"^wrote \S+$", "^fetched "], ""),
        ([r"^error: part \d+"], "proven on 0 outputs"),
        ([r"^wrote \S+$"], "proven on 0 outputs"),
        ([r"^(?:fetched|wrote) "], "strings that were used"),
        ([r"^error: part \d+", r"^part \d+ exited with", "^fetched "], ""),
        ([".+"], "any line"),
        (["[a-z]+ "], "any line"),
        (["^(?=x)"], "RE2"),
        ([""], "empty"),
        (["x" * 600], "512"),
    ],
)
def test_what_a_bad_proposal_would_hide_is_not_hidden(patterns: list[str], why: str) -> None:
    [lesson] = proposed([{**GOOD, "strip_patterns": patterns}])
    if why:
        assert why in lesson.why
        return
    shown = applied(
        lesson.rule, Sample(command=COMMAND, output=history()[3].observation.output)
    ).text
    assert "fetched" not in shown
    assert {ERROR, STATUS, NEEDED.format(3)} <= set(shown.split("\n"))


def test_a_pattern_that_hides_what_was_used_is_dropped_from_a_good_proposal() -> None:
    [lesson] = proposed([{**GOOD, "strip_patterns": [r"^wrote \S+$", "^fetched "]}])
    assert lesson.rule.strip_patterns == ("^fetched ",)
    [(pattern, reason)] = lesson.dropped
    assert pattern == r"^wrote \S+$"
    assert "strings that were used" in reason


def test_a_model_is_shown_what_no_rule_covers_without_its_secrets() -> None:
    cases = [*history(), *[case(n, "short", command="other") for n in range(9)]]
    [(scope, members)] = uncovered(cases, ())
    assert scope == Scope("fetchall")
    assert len(members) == 2
    assert (
        list(
            uncovered(cases, [Rule(rule_id="a", trigger_regex="fetchall", strip_patterns=("^f",))])
        )
        == []
    )
    ask = Scripted([])
    assert list(learn(cases, redact=lambda text: text.replace("mirror", "***"), ask=ask)) == []
    [prompt] = ask.asked
    assert prompt.startswith(PROMPT)
    assert "mirror" not in prompt
    assert len(prompt) < len(PROMPT) + 2 * 3_000
    assert "ended" in prompt


def test_the_prompt_asks_for_what_the_schema_says() -> None:
    fields = REPLY_SCHEMA["properties"]["rules"]["items"]["properties"]
    assert all(f'"{name}"' in PROMPT for name in fields)


@pytest.mark.parametrize("says", [OSError("no route\nto host"), "I cannot", '{"rules": 7}'])
def test_a_model_that_fails_is_told_in_a_line_and_mined_rules_are_there(says: object) -> None:
    [lesson] = proposed(says)
    assert lesson.why
    assert "\n" not in lesson.why


def test_no_two_rules_have_one_name() -> None:
    first, second = proposed([GOOD, GOOD])
    assert (first.rule.rule_id, first.why) == ("proposed.steps", "")
    assert (second.rule.rule_id, second.why) == (
        "proposed.steps.2",
        "proven on 0 outputs of 0 tasks only",
    )


def test_rules_for_two_commands_may_have_the_name_of_one_that_is_known() -> None:
    known = Rule(rule_id="proposed.steps", trigger_regex="^other", strip_patterns=("^x",))
    found = list(learn([*history(), *history(command="getall now")], [known], ask=Scripted([GOOD])))
    assert [(lesson.rule.rule_id, lesson.why) for lesson in found] == [
        ("proposed.steps.2", ""),
        ("proposed.steps.3", ""),
    ]


def test_a_model_is_shown_the_screen_and_a_part_of_a_long_command() -> None:
    lines = [f"\x1b[32mstep {n} went past\x1b[0m" for n in range(300)]
    seen = case(1, *lines, command=f"fetchall {'x' * 5_000}")
    ask = Scripted([])
    assert list(propose([seen], (), ask, str)) == []
    [prompt] = ask.asked
    assert "\nstep 3 went past\n" in prompt
    assert "\x1b" not in prompt
    assert "x" * 501 not in prompt
    assert len(prompt) < len(PROMPT) + 3_500


def test_of_lines_that_are_too_long_to_be_shown_a_model_sees_both_ends() -> None:
    seen = case(1, f"begun {'x' * 4_000}", f"{'y' * 4_000} ended", command=COMMAND)
    ask = Scripted([])
    assert list(propose([seen], (), ask, str)) == []
    [prompt] = ask.asked
    assert "\nbegun xx" in prompt
    assert "yy ended\n" in prompt
    assert len(prompt) < len(PROMPT) + 3_000


def test_what_is_too_long_to_be_shown_whole_is_covered_only_if_rules_hide_some_of_it() -> None:
    names = ("old", "new")
    lines = [f"{names[n // 1_500]} {n} of {n * 7} went past {n * n} others" for n in range(3_000)]
    known = Rule(rule_id="a", trigger_regex="fetchall", strip_patterns=("^old ",))
    rare = Rule(rule_id="a", trigger_regex="fetchall", strip_patterns=(r"^old \d{1,2} ",))
    seen = [case(1, *lines, command=COMMAND)]
    assert [scope for scope, _ in uncovered(seen, ())] == [Scope("fetchall")]
    assert [scope for scope, _ in uncovered(seen, [rare])] == [Scope("fetchall")]
    assert list(uncovered(seen, [known])) == []


def test_what_is_short_on_the_screen_is_no_question() -> None:
    frames = "\r".join(f"fetched {n} of 900" for n in range(900))
    assert list(uncovered([case(1, frames, "ended", command=COMMAND)], ())) == []


def test_a_model_that_failed_is_asked_no_more_and_its_clients_words_hold_no_secret() -> None:
    ask = Scripted(OSError("no key sk-123"))
    cases = [*history(), *history(command="getall now")]
    [lesson] = learn(cases, redact=lambda text: text.replace("sk-123", "[secret]"), ask=ask)
    assert len(ask.asked) == 1
    assert lesson.why == "scripted did not answer: no key [secret]"


def test_nothing_is_asked_where_secrets_cannot_be_removed() -> None:
    def redact(text: str) -> str:
        raise RedactionError("no key")

    ask = Scripted([GOOD])
    with pytest.raises(RedactionError):
        list(propose(history(), (), ask, redact))
    assert ask.asked == []
