"""Rules that a model proposes: what it is shown, what becomes of what it says."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import RedactionError, RuleError
from agentctx.learn.case import Case
from agentctx.learn.lesson import Lesson, learn
from agentctx.learn.proposer import PROMPT, propose, uncovered
from agentctx.learn.reply import LONGEST, MOST, REPLY_SCHEMA, rules_of
from agentctx.terminal.rules import pack, toml
from agentctx.terminal.rules.fields import RULE
from agentctx.terminal.rules.rule import Rule, Sample, Status
from agentctx.terminal.rules.scope import Scope
from agentctx.terminal.trial import applied
from agentctx.testing import FakeUpstream, Fault, ScriptedModel
from tests.learn.outputs import case

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

PARTS = ("blue", "old", "quick", "large", "open", "late", "warm")
COMMAND = "fetchall now"
ERROR, STATUS = "error: part 7 is not there", "part 7 exited with status 3"
NEEDED = "wrote src/part_{}.py"
GOOD = {
    "rule_id": "steps",
    "summary_header": "steps",
    "strip_patterns": [r"^fetched \S.* from \S+$"],
}


def history(tasks: int = 30, command: str = COMMAND) -> list[Case]:
    """Return outputs whose noise never reads alike, so that no miner finds a kind in it."""
    found = []
    for task in range(tasks):
        noise = []
        for line in range(60):
            words = [
                PARTS[(task * 31 + line * 7 + k * k) % 7] + "abcdefgh"[(line + k) % 8]
                for k in range(line % 5 + 2)
            ]
            noise.append(f"fetched {' '.join(words)} of the {line} that are here from mirror{task}")
        lines = [
            *noise[:30],
            ERROR,
            STATUS,
            NEEDED.format(task),
            *noise[30:],
            "in the end",
            "ended",
        ]
        found.append(case(task, *lines, used=[f"src/part_{task}.py"], command=command))
    return found


@dataclass
class Scripted:
    """A model that says one thing and remembers what it was asked."""

    says: object
    model: str = "scripted"
    asked: list[str] = field(default_factory=list)

    def __call__(self, prompt: str, /) -> str:
        self.asked.append(prompt)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says if isinstance(self.says, str) else json.dumps({"rules": self.says})


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


def test_nothing_but_patterns_is_taken_from_a_model() -> None:
    says = {
        **GOOD,
        "trigger_regex": "rm",
        "status": "active",
        "confidence": 1,
        "not_for": ["x"],
        "tests": [{"command": "x"}],
        "times_applied": 99,
        "version": 7,
        "provenance": "a saint",
    }
    [rule] = rules_of(json.dumps({"rules": [says]}), "^fetchall", "a model")
    assert isinstance(rule, Rule)
    assert (rule.status, rule.trigger_regex, rule.tests) == (Status.CANDIDATE, "^fetchall", ())
    assert (rule.version, rule.times_applied, rule.provenance) == (1, 0, "a model")


@pytest.mark.parametrize(
    "around", ["{}", "Sure! {{}} here:\n```json\n{}\n```\nDone.", '{{"a": 1}} {}']
)
def test_the_object_is_found_in_what_is_said_around_it(around: str) -> None:
    [rule] = rules_of(around.format(json.dumps({"rules": [GOOD]})), "^x", "p")
    assert isinstance(rule, Rule)


@given(
    st.text()
    | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(
        lambda value: json.dumps({"rules": value})
    )
)
def test_any_reply_makes_rules_or_reasons(reply: str) -> None:
    found = list(rules_of(reply, "^x", "p"))
    assert len(found) <= MOST + 1
    assert all(isinstance(one, RuleError) and "\n" not in str(one) for one in found)


ODD = st.text() | st.sampled_from(["^a", "(", "x" * 600, "a{9999}", "\ud800", "\x1b[2J", "\u202e"])
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | ODD | st.lists(ODD, max_size=3)
RULES = st.fixed_dictionaries(
    {"rule_id": ODD, "strip_patterns": st.lists(ODD, max_size=3) | VALUES},
    optional=dict.fromkeys({*RULE, "tests", "odd"} - {"rule_id", "strip_patterns"}, VALUES),
)


@given(said=st.lists(RULES, max_size=7))
def test_whatever_a_rule_says_it_is_a_candidate_that_a_pack_can_hold(
    said: list[dict[str, object]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = list(rules_of(json.dumps({"rules": said}), "^x", "p"))
    assert len(found) == min(len(said), MOST) + (len(said) > MOST)
    place = tmp_path_factory.getbasetemp() / "odd.toml"
    for one in found:
        if isinstance(one, RuleError):
            assert "\n" not in str(one)
            continue
        assert one.rule_id.startswith("proposed.")
        ours = (one.status, one.trigger_regex, one.provenance, one.tests, one.not_for)
        assert ours == (Status.CANDIDATE, "^x", "p", (), ())
        assert (one.confidence, one.times_applied, one.times_complained) == (1.0, 0, 0)
        place.write_text(toml.write([one]), encoding="utf-8")
        assert pack.load(place) == (one,)


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


def test_what_is_beyond_five_rules_is_told() -> None:
    found = list(rules_of(json.dumps({"rules": [GOOD] * 7}), "^x", "p"))
    assert all(isinstance(one, Rule) for one in found[:MOST])
    assert [str(one) for one in found[MOST:]] == [
        "2 more rules in the reply: 5 at most are taken of one"
    ]


def test_a_reply_without_end_is_not_read() -> None:
    [found] = rules_of(json.dumps({"rules": [GOOD]}) + " " * LONGEST, "^x", "p")
    assert isinstance(found, RuleError)


@pytest.mark.parametrize("header", ["\ud800", "a\x1b[2J", "a\nb", "\u202eabc"])
def test_no_control_character_of_a_models_is_shown_to_anybody(header: str) -> None:
    [lesson] = proposed([{**GOOD, "summary_header": header}])
    assert "printable" in lesson.why


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


def test_what_is_too_long_to_be_shown_whole_is_covered_only_if_rules_hide_some_of_it() -> None:
    lines = [f"step {n} of {n * 7} went past {n * n} others" for n in range(3_000)]
    known = Rule(rule_id="a", trigger_regex="fetchall", strip_patterns=("^step ",))
    [(scope, _)] = uncovered([case(1, *lines, command=COMMAND)], ())
    assert scope == Scope("fetchall")
    assert list(uncovered([case(1, *lines, command=COMMAND)], [known])) == []


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


@pytest.mark.filterwarnings("ignore")  # LiteLLM's own, when it is imported
def test_litellm_asks_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("litellm")
    from agentctx.adapters.litellm_rules import ModelProposer

    said = ScriptedModel(json.dumps({"rules": [GOOD]}), Fault(500), Fault(500))
    with FakeUpstream(said) as upstream:
        options = (("api_base", f"{upstream.url}/v1"), ("api_key", "none"), ("max_retries", 0))
        ask = ModelProposer(model="openai/scripted", options=options)
        [lesson] = learn(history(), ask=ask)
        assert lesson.why == ""
        [lesson] = learn(history(), ask=ask)
        assert "did not answer" in lesson.why
