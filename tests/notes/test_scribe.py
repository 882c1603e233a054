from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory.records import StepKind
from agentctx.notes import outcome, scribe
from agentctx.notes.outcome import Ran
from agentctx.notes.scribe import LONGEST, Scribe, cut
from agentctx.notes.standing import Standing
from agentctx.values import Kind, Observation, Slot


def entries(*slots: Slot, known: int = -1, epoch: bool = False) -> list[tuple[StepKind, str]]:
    depth = max(slot.turn for slot in slots)
    standing = Standing(0, known, depth, epoch=epoch, first=known < 0)
    made = Scribe(slots=slots, standing=standing, emitted={}, ours={"expand"}, safe=str)
    return [(e.kind, e.action or e.observation or e.thought) for e in made.entries()]


def said(turn: int, text: str, kind: Kind = Kind.USER) -> Slot:
    return Slot(path=("messages", turn, kind.value), kind=kind, text=text, turn=turn)


def test_only_what_is_new_is_read() -> None:
    old, new = said(0, "one"), said(1, "two")
    spoke = said(1, "Done.", Kind.ASSISTANT)
    assert entries(old, spoke, new, known=0) == [
        (StepKind.ANSWER, "Done."),
        (StepKind.USER, "two"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Here is a summary of the conversation to date:\n\nAll is well.",
        "This session is being continued from a previous conversation that ran out of context.",
        "<summary>\nWe looked at the parser.\n</summary>",
        "Another language model started to solve this problem and produced a summary of its thinking",
        "The conversation history was compacted. Go on.",
        "<system-reminder>Today is Monday</system-reminder>",
    ],
)
def test_what_a_host_writes_in_place_of_the_history_is_no_word_of_the_users(text: str) -> None:
    assert entries(said(0, text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Write a summary of the release notes",
        "Summarise this conversation feature for the docs",
        "Mend the history page",
        "Observations show that it is slow",
        "Give me a summary of the work so far",
        "Use the conversation so far as a fixture",
        "Command history is truncated at 80 columns",
        "Index entries lose their links\n<details>\n<summary>\nSteps\n</summary>",
    ],
)
def test_what_a_person_asks_is(text: str) -> None:
    assert entries(said(0, text)) == [(StepKind.USER, text)]


def test_a_command_that_a_host_killed_is_no_word_of_the_users() -> None:
    killed = "The last command <command>sleep 9</command> timed out and has been killed."
    spoke = said(1, "I wait.", Kind.ASSISTANT)
    slots = [said(0, "Mend it"), spoke, said(1, killed)]
    assert [text for kind, text in entries(*slots) if kind is StepKind.USER] == ["Mend it"]
    asked = "The last command timed out, please use a shorter one."
    assert (StepKind.USER, asked) in entries(said(0, "Mend it"), spoke, said(1, asked))


def test_where_calls_are_texts_no_text_ends_a_request() -> None:
    slots = [said(0, "Mend it"), said(1, "I look.", Kind.ASSISTANT), said(1, "Found 2 actions.")]
    for tooled in (True, False):
        standing = Standing(0, -1, 1)
        made = Scribe(slots=slots, standing=standing, emitted={}, ours=(), safe=str, tooled=tooled)
        assert (StepKind.ANSWER in {entry.kind for entry in made.entries()}) is tooled


def test_a_summary_of_the_models_is_no_answer() -> None:
    history = (said(0, "Mend it"), said(1, "Summary: half done.", Kind.ASSISTANT), said(1, "Go on"))
    assert StepKind.ANSWER not in dict(entries(*history, epoch=True))


def test_the_thought_of_a_turn_stands_with_its_first_step() -> None:
    calls = [
        Slot(path=("m", n), kind=Kind.OBSERVATION, text="out", turn=1, tool="bash", call_id=f"c{n}")
        for n in range(2)
    ]
    slots = [said(1, "I look at both", Kind.ASSISTANT), *calls]
    made = Scribe(slots=slots, standing=Standing(0, 0, 1), emitted={}, ours=(), safe=str)
    assert [entry.thought for entry in made.entries()] == ["I look at both", ""]


@given(st.text(st.characters(codec="utf-8"), max_size=200).map(lambda text: text * 60))
def test_what_is_cut_keeps_both_ends_and_says_how_much_is_missing(text: str) -> None:
    short = cut(text, str)
    if len(text) <= LONGEST:
        assert short == text
        return
    assert len(short) <= LONGEST + 60
    head, _, rest = short.partition("\n[agentctx: ")
    number, _, tail = rest.partition(" characters left out]\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert int(number) + len(tail) + len(head) <= len(text)


def test_secrets_leave_before_the_cut() -> None:
    text = "x" * 2_395 + "SECRET-KEY" + "y" * 5_000
    assert "SECRET" not in cut(text, lambda told: told.replace("SECRET-KEY", "[gone]"))
    assert "SECR" not in cut(text, lambda told: told.replace("SECRET-KEY", "[gone]"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<returncode>2</returncode>\n<output>\nx\n</output>", 2),
        ("Exit code 1\nno such file", 1),
        ("ok\nProcess exited with code 0", 0),
        ("exit status: 3", 3),
        ('{"output": "x", "metadata": {"exit_code": 127}}', 127),
        ("[exit code: 7]", 7),
        ("The exit code of this is told in the docs: 5 ways", None),
        ("code 1 is bad", None),
        ("HTTP status\nstatus: 200", None),
        ("x\n" * 900 + "Exit code 4", 4),
        ("x\n" * 900 + "Exit code 4" + "\ny" * 900, None),
    ],
)
def test_an_exit_status_is_read_where_hosts_write_it(text: str, code: int | None) -> None:
    assert outcome.exit_code(text) == code


@pytest.mark.parametrize(
    ("command", "output", "code", "found"),
    [
        ("pytest -q", "2 failed, 3 passed", None, Ran.RED),
        ("pytest -q", "3 passed in 2 s", None, Ran.GREEN),
        ("pytest -q | tail", "1 failed", 0, Ran.RED),
        ("pytest -q", "nothing to say", None, Ran.OTHER),
        ("pytest -q", "", 0, Ran.GREEN),
        ("cargo test", "test result: ok. 4 passed; 0 failed", None, Ran.GREEN),
        ("go test ./...", "FAIL\tmod/x", None, Ran.RED),
        ("npm test", "Tests:       1 failed, 2 passed", 1, Ran.RED),
        ("git commit -m 'x'", "[main 1] x", 0, Ran.LANDED),
        ("git commit -m 'x'", "[main 1] x", None, Ran.OTHER),
        ("git commit -m 'x'", "nothing to commit", 1, Ran.OTHER),
        ("git apply --check p", "", 0, Ran.OTHER),
        ("apply_patch", "Success. Updated the following files", None, Ran.LANDED),
        ("make -j8", "", 0, Ran.LANDED),
        ("make clean", "", 0, Ran.OTHER),
        ("cat pytest.ini", "3 passed", 0, Ran.OTHER),
        ("pip install pytest", "ok", 0, Ran.OTHER),
        ("grep -rn pytest .", "3 passed", 0, Ran.OTHER),
        ("cd x && python -m pytest tests", "3 passed", 0, Ran.GREEN),
        ("CI=1 .venv/bin/pytest", "3 passed", None, Ran.GREEN),
        ("uv run pytest -x", "3 passed", None, Ran.GREEN),
        ("ls", "", 0, Ran.OTHER),
    ],
)
def test_what_became_of_a_command(command: str, output: str, code: int | None, found: Ran) -> None:
    assert outcome.ran(command, output, code) is found


@pytest.mark.parametrize(
    ("came", "arguments", "told"),
    [
        (Observation(output="", command="ls -la", tool="bash"), {"command": "ls -la"}, "ls -la"),
        (Observation(output="", tool="read"), {"path": "ä.py"}, 'read {"path": "ä.py"}'),
        (Observation(output="", tool="now"), {}, "now"),
        (Observation(output="", tool="odd"), {"x": object()}, "odd"),
    ],
)
def test_how_memory_tells_a_call(
    came: Observation, arguments: dict[str, object], told: str
) -> None:
    assert scribe.action(came, arguments) == told
