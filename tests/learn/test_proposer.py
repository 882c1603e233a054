"""Rules that a model proposes: what it is shown, what becomes of what it says."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import RuleError
from agentctx.learn.case import Case
from agentctx.learn.lesson import Lesson, learn
from agentctx.learn.proposer import PROMPT, uncovered
from agentctx.learn.reply import MOST, REPLY_SCHEMA, rules_of
from agentctx.terminal.rules.rule import Rule, Status
from agentctx.terminal.rules.scope import Scope
from agentctx.testing import FakeUpstream, Fault, ScriptedModel
from tests.learn.outputs import case

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

PARTS = ("blue", "old", "quick", "large", "open", "late", "warm")
NEEDED = "wrote src/part_{}.py"
GOOD = {
    "rule_id": "steps",
    "summary_header": "steps",
    "strip_patterns": [r"^fetched \S.* from \S+$"],
}


def history(tasks: int = 30) -> list[Case]:
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
            "error: part 7 is not there",
            NEEDED.format(task),
            *noise[30:],
            "in the end",
            "ended",
        ]
        found.append(case(task, *lines, used=[f"src/part_{task}.py"], command="fetchall now"))
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
    assert lesson.rule.strip_patterns == ("^fetched ",)
    assert lesson.dropped[0][0] == patterns[0]


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
    assert len(found) <= MOST
    assert all(isinstance(one, RuleError) and "\n" not in str(one) for one in found)


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


def test_two_rules_of_one_name_are_one() -> None:
    first, second = proposed([GOOD, GOOD])
    assert "given before" in first.why
    assert second.why == ""


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
