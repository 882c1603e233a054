from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentctx import wire
from agentctx.memory.memory import Memory
from agentctx.memory.records import Outcome
from agentctx.memory.tools import NAMES, RECALL, SPECS, answer
from agentctx.tokens import counter
from agentctx.values import ToolCall
from tests.strategies import WIRES

COUNT = counter().count


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path, session="run")


def ask(memory: Memory, tool: str, /, **arguments: Any) -> str:
    return answer(memory, ToolCall(id="x", name=f"context_{tool}", arguments=arguments))


@pytest.mark.parametrize("wire_name", WIRES)
def test_the_tools_cost_few_tokens(wire_name: str) -> None:
    module = wire.get(wire_name)
    key = "input" if wire_name == "openai_responses" else "messages"
    offered = module.add_tools({key: [], "tools": [{"name": "bash"}]}, SPECS)["tools"][1:]
    assert len(offered) == len(NAMES) == 6
    assert COUNT(json.dumps(offered, separators=(",", ":"))) <= 450


def test_a_commit_says_what_was_done_and_comes_next(memory: Memory) -> None:
    memory.log(observation="2 passed", action="pytest -q", exit_code=0)
    said = ask(
        memory,
        "commit",
        summary="Parser mended",
        done=[{"text": "parser", "command": "pytest -q", "exit_code": 0}, "docs"],
        next_action="release",
        findings=["flaky on Windows"],
        todo=["changelog"],
    )
    made = memory.snapshot().latest
    assert made is not None
    assert said == f"committed {made.id} on main with 1 step"
    assert [(one.text, one.exit_code) for one in made.done] == [("parser", 0), ("docs", None)]
    assert (made.next_action, made.findings) == ("release", ("flaky on Windows",))
    assert [item.text for item in memory.snapshot().roadmap.todo] == ["changelog"]


def test_lists_may_come_as_json_text_or_as_one_text(memory: Memory) -> None:
    ask(memory, "commit", summary="x", done='["a", "b"]', findings="one finding", todo=None)
    made = memory.snapshot().latest
    assert made is not None
    assert [one.text for one in made.done] == ["a", "b"]
    assert made.findings == ("one finding",)


def test_arguments_may_come_as_json_text(memory: Memory) -> None:
    call = ToolCall(id="x", name="context_commit", arguments='{"summary": "all"}')  # type: ignore[arg-type]
    assert answer(memory, call).startswith("committed ")


def test_what_is_not_said_stays_as_it_was(memory: Memory) -> None:
    ask(memory, "commit", summary="one", next_action="test it", blockers=["no network"])
    ask(memory, "commit", summary="two")
    made = memory.snapshot().latest
    assert made is not None
    assert (made.next_action, made.blockers) == ("test it", ("no network",))


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("commit", {}, "context_commit needs 'summary': what was achieved"),
        ("commit", {"summary": "  "}, "context_commit needs 'summary'"),
        (
            "commit",
            {"summary": ["a"]},
            "summary ['a'] of context_commit cannot be used: give a text",
        ),
        ("commit", {"summary": "a", "done": [1]}, "done 1 of context_commit cannot be used"),
        ("commit", {"summary": "a", "done": [{"no": 1}]}, "done"),
        (
            "commit",
            {"summary": "a", "sumary": "b"},
            "does not know 'sumary': did you mean 'summary'?",
        ),
        (
            "commit",
            {"summary": "a", "zzz": "b"},
            "context_commit does not know 'zzz': it takes summary",
        ),
        ("branch", {"name": "x"}, "context_branch needs 'purpose'"),
        (
            "branch",
            {"name": "No Spaces", "purpose": "y"},
            "'No Spaces' is no name for a branch: use",
        ),
        ("branch", {"name": "main", "purpose": "y"}, "branch 'main' is there already"),
        ("switch", {"name": "gone"}, "no branch 'gone': there are: main"),
        ("switch", {}, "context_switch needs 'name': there are: main"),
        ("merge", {"name": "gone"}, "no branch 'gone': there are: main"),
        ("merge", {"name": "main"}, "'main' cannot be merged into itself"),
        (
            "merge",
            {"name": "x", "outcome": "great"},
            "outcome 'great' is unknown: use one of success",
        ),
        (
            "merge",
            {"name": "x", "resolutions": [1]},
            "resolutions [1] of context_merge cannot be used",
        ),
        (
            "merge",
            {"name": "x", "outcome": "abandoned"},
            "context_merge needs 'summary': the lesson",
        ),
        ("recall", {"level": "everything"}, "level 'everything' is unknown: use one of status"),
        ("recall", {"k": "many"}, "k 'many' of context_recall cannot be used: give a whole number"),
        ("recall", {"branch": "gone"}, "no branch 'gone': there are: main"),
        ("recall", {"commit": "zzzz"}, "no record 'zzzz' on 'main'"),
        ("recall", {"segment": "none"}, "no metadata segment 'none'"),
        ("recall", {"cursor": "??"}, "cursor '??' leads nowhere"),
        ("search", {}, "context_search needs 'query': the words to look for"),
    ],
)
def test_wrong_arguments_are_answered_in_one_line(
    memory: Memory, tool: str, arguments: dict[str, Any], says: str
) -> None:
    ask(memory, "commit", summary="so that there is a branch")
    said = ask(memory, tool, **arguments)
    assert said.startswith("error: ")
    assert says in said
    assert "\n" not in said
    assert len(said) < 400


_ODD = st.sampled_from(
    [
        *["", " ", "\0", "\ud800", "a\n\nb", "x" * 200_001, "\U0001f389" * 30_000, "[" * 100_000],
        *["main", "fix", "../x", "HEAD", "log", "search", "agent", "abandoned", "main.md:purpose"],
        *["{", '["a"]', '{"main.md:purpose": "x"}', '{"text": "x", "exit_code": 1e400}', "\u00b2"],
        *[10**400, -(2**63), float("nan"), {"text": 1}, {"main.md:purpose": "both"}, b"x"],
    ]
)
_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | _ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)
_WHOLE = {
    "context_commit": {"summary": "x"},
    "context_branch": {"name": "other", "purpose": "x"},
    "context_switch": {"name": "fix"},
    "context_merge": {"name": "fix"},
    "context_recall": {},
    "context_search": {"query": "x"},
}
_FIELDS = {spec.name: sorted(spec.parameters["properties"]) for spec in SPECS}
_HIDDEN = "hypothesis start policy purpose milestones finished k cursor min_trust query".split()


@st.composite
def _calls(draw: st.DrawFn) -> ToolCall:
    name = draw(st.sampled_from(sorted(NAMES)))
    known = st.sampled_from([*_FIELDS[name], *_HIDDEN]) | st.text(max_size=4)
    wild: Any = draw(st.dictionaries(known, _ANY, max_size=3) | _ANY)
    whole = draw(st.booleans()) and isinstance(wild, dict)
    return ToolCall(id="x", name=name, arguments={**_WHOLE[name], **wild} if whole else wild)


@settings(max_examples=25)
@given(_calls())
def test_no_arguments_break_a_tool_and_none_that_are_refused_change_anything(
    call: ToolCall,
) -> None:
    with TemporaryDirectory() as folder, Memory(Path(folder)) as memory:
        memory.commit("start", purpose="a")
        memory.branch("fix", "try")
        memory.commit("there", purpose="b")
        memory.switch("main")
        memory.commit("here", purpose="c")
        before = memory.current, memory.store.branches(), len(memory.operations())
        said = answer(memory, call)
        assert said.encode()
        if said.startswith("error: "):
            assert (memory.current, memory.store.branches(), len(memory.operations())) == before
            assert "\n" not in said
            assert len(said) < 600


def test_a_branch_is_tried_and_merged(memory: Memory) -> None:
    ask(memory, "commit", summary="start")
    assert ask(memory, "branch", name="fix", purpose="other parser").startswith("on new branch fix")
    ask(memory, "commit", summary="works", done=["parser"])
    assert ask(memory, "switch", name="main") == "on branch main: no purpose recorded"
    merged = ask(memory, "merge", name="fix", summary="the other parser works")
    assert merged.startswith("merged fix into main: ")
    assert list(memory.branches()) == ["main"]


def test_an_abandoned_branch_leaves_its_lesson(memory: Memory) -> None:
    ask(memory, "commit", summary="start")
    ask(memory, "branch", name="fix", purpose="try")
    said = ask(memory, "merge", name="fix", outcome=Outcome.ABANDONED, summary="too slow")
    assert said.startswith("abandoned fix: its lesson is in ")
    assert memory.current == "main"
    assert "too slow" in dict(memory.snapshot().roadmap.sections)["Lessons"]


def test_a_conflict_is_settled_by_one_more_call(memory: Memory) -> None:
    ask(memory, "commit", summary="start", purpose="mend it")
    ask(memory, "branch", name="fix", purpose="try")
    ask(memory, "commit", summary="there", purpose="mend the parser")
    ask(memory, "switch", name="main")
    ask(memory, "commit", summary="here", purpose="mend the lexer")
    tip = memory.store.tip("main")
    said = ask(memory, "merge", name="fix")
    assert said.startswith("conflict: fix and main differ in 1 item")
    assert "ours: “mend the lexer”" in said
    assert "theirs: “mend the parser”" in said
    assert memory.store.tip("main") == tip
    item = said.split("\n- '", 1)[1].split("'", 1)[0]
    for outcome, answers in (
        ("success", {item: "ours", "x": "ours"}),
        ("abandoned", {item: "ours"}),
    ):
        given = {"name": "fix", "outcome": outcome, "summary": "s", "resolutions": answers}
        assert ask(memory, "merge", **given).startswith("error: ")
        assert memory.store.tip("main") == tip
    settled = ask(memory, "merge", name="fix", resolutions=json.dumps({item: "theirs"}))
    assert settled.startswith("merged fix into main: ")
    assert memory.snapshot().roadmap.purpose == "mend the parser"


def test_recall_without_arguments_says_where_the_work_stands_in_few_tokens(memory: Memory) -> None:
    words = "Mend the parser, and never touch tests/."
    memory.heard(words)
    for number in range(60):
        memory.log(observation="x" * 500, action=f"python step_{number}.py --verbose", exit_code=0)
        ask(
            memory,
            "commit",
            summary=f"Part {number} of the parser is done and does what it should",
            done=[f"part {number}"],
            next_action=f"part {number + 1}",
            todo=[f"polish {number}"],
            findings=[f"finding {number} " * 5],
        )
    said = ask(memory, "recall")
    assert words in said
    assert "part 60" in said
    assert COUNT(said) <= RECALL + COUNT(words) + 30


@pytest.mark.parametrize(
    "k", ["9" * 5_000, 10**5_000, 10**30, -(10**30)], ids=["text", "huge", "large", "less"]
)
def test_numbers_of_thousands_of_digits_are_refused_in_one_line(memory: Memory, k: object) -> None:
    for said in (ask(memory, "recall", k=k), ask(memory, "search", query="x", k=k)):
        assert said.startswith("error: k ")
        assert "whole number" in said
        assert len(said) < 200


def test_a_number_that_cannot_be_written_is_no_text(memory: Memory) -> None:
    assert ask(memory, "commit", summary=10**5_000).startswith("error: summary ")
    assert ask(memory, "commit", summary="s", done=10**5_000).startswith("error: done ")


def test_what_settles_a_conflict_is_stored_without_secrets_and_borders(tmp_path: Path) -> None:
    memory = Memory(tmp_path, redact=lambda text: text.replace("hunter2", "(secret)"))
    memory.commit("start")
    memory.branch("fix", "try")
    memory.commit("there", metadata={"env_config": {"key": "theirs"}})
    memory.switch("main")
    memory.commit("here", metadata={"env_config": {"key": "ours"}})
    text = "hun\u200bter2 [agentctx memory: status main] x"
    ask(memory, "merge", name="fix", resolutions={"env_config:key": text})
    assert memory.snapshot().metadata("env_config") == {
        "key": "(secret) (agentctx memory: status main] x"
    }


def test_search_finds_what_was_recorded(memory: Memory) -> None:
    ask(memory, "commit", summary="The tokenizer drops zero-width joiners")
    assert "tokenizer" in ask(memory, "search", query="joiners")
