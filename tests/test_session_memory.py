from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentctx import wire as formats
from agentctx.config import Settings
from agentctx.errors import ConfigError, MemoryStoreError, RedactionError
from agentctx.memory.memory import Memory
from agentctx.memory.records import StepKind
from agentctx.memory.state.handoff import Receiver
from agentctx.options import Mode, Remember
from agentctx.session import Session
from agentctx.tokens import counter
from agentctx.values import Kind, Observation, ToolCall, Trust
from tests.conftest import LONG
from tests.strategies import WIRES, Call, Conversation, Turn, render
from tests.test_session import FILE, NOISE, ONE, call, request, result, send, texts

COUNT = counter().count
RULE = "Mend the parser, and never touch tests/."


def steps(*outputs: str, start: int = 0) -> tuple[Turn, ...]:
    """Turns of a model that runs a command each."""
    return tuple(
        Turn(text="", calls=(run(f"call_{start + n}", output),)) for n, output in enumerate(outputs)
    )


def run(name: str, output: str) -> Call:
    return Call(id=name, name="bash", arguments={"command": f"make {name}"}, output=output)


def conversation(*turns: Turn, task: str = RULE) -> Conversation:
    return Conversation(system="You mend things.", task=task, turns=turns)


def sent(session: Session, wire: str, talk: Conversation, calls: int | None = None) -> Any:
    return session.rewrite(session.offer(render(wire, talk, calls), wire=wire), wire=wire)


def head(wire: str, payload: Any) -> str:
    """What the user says before the model's first turn, our block included."""
    slots = formats.get(wire).read(payload)
    return "\n\n".join(s.text for s in slots if s.turn == 0 and s.kind is Kind.USER)


def block(wire: str, payload: Any) -> str:
    text = head(wire, payload)
    start = text.find("[agentctx memory: ")
    return text[start:] if start >= 0 else ""


def journal(data: Path, branch: str = "main") -> list[Any]:
    """Every step of a branch, sealed or not, as another process reads it."""
    with Memory(data) as memory:
        sealed: list[Any] = []
        if memory.store.tip(branch):
            view = memory.snapshot(branch)
            for record in reversed(view.records(k=1000)):
                sealed += view.steps(record)
        return [*sealed, *memory.live(branch)]


def told(steps: list[Any]) -> list[tuple[StepKind, str]]:
    return [(s.kind, s.action or s.observation or s.thought) for s in steps]


def bodies(payload: Any) -> list[str]:
    return [json.dumps(one) for one in payload.get("messages", payload.get("input"))]


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_off_leaves_no_trace(tmp_path: Path) -> None:
    session = Session(data=tmp_path)
    plain = send(session, request(*ONE))
    assert session.handle(ToolCall(id="x", name="context_recall", arguments={})) is None
    session.close()
    assert [tool["function"]["name"] for tool in plain["tools"]] == ["bash", "expand"]
    assert plain["messages"] == request(*ONE)["messages"]
    assert {path.name for path in tmp_path.iterdir()} <= {
        "state.db",
        "archive",
        ".gitignore",
        "redaction.key",
    }


@pytest.mark.parametrize("memory", ["log", "on"])
def test_a_request_is_taken_down_once(tmp_path: Path, wire: str, memory: str) -> None:
    talk = conversation(
        *steps("two failed", "all passed"),
        Turn(text="It is mended.", user="Now the docs."),
        *steps("built", start=2),
    )
    for calls in (0, 1, 1, 2, 3, 4, 2, 4):  # a retry, and a step back
        sent(Session("run", data=tmp_path, memory=memory), wire, talk, calls)
    assert told(journal(tmp_path)) == [
        (StepKind.USER, RULE),
        (StepKind.STEP, "make call_0"),
        (StepKind.STEP, "make call_1"),
        (StepKind.ANSWER, "It is mended."),
        (StepKind.USER, "Now the docs."),
        (StepKind.STEP, "make call_2"),
    ]


def test_a_step_holds_what_the_model_saw_and_where_the_rest_is(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="log")
    payload = deepcopy(request(*ONE[:1], result("c1", NOISE)))
    payload["messages"][1]["content"] = "Let me look."
    shown = texts(send(session, payload))[0]
    (_, step) = journal(tmp_path)
    assert step.observation == shown.rstrip("\n")
    assert session.stores.archive.read(step.original).decode() == NOISE
    assert (step.thought, step.action, step.call_id) == ("Let me look.", "cat a.py", "c1")
    assert step.trust is Trust.TOOL


def test_a_long_result_is_cut_and_the_whole_is_kept(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="log")
    data = "\n".join(f"{n}: {n * 7919 % 1009}" for n in range(2000))
    assert texts(send(session, request(*ONE[:1], result("c1", data)))) == [data]
    step = journal(tmp_path)[-1]
    assert len(step.observation) < 4_200
    assert "characters left out]" in step.observation
    assert session.stores.archive.read(step.original).decode() == data


def test_calls_of_ours_are_no_steps(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="on")
    asked = call("c2", "x")
    asked["tool_calls"][0]["function"] = {"name": "context_recall", "arguments": "{}"}
    send(session, request(*ONE, asked, result("c2", FILE)))
    assert [step.action for step in journal(tmp_path)] == ["", "cat a.py"]


def test_an_answer_of_ours_is_never_reduced(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="on")
    asked = call("c2", "x")
    asked["tool_calls"][0]["function"] = {"name": "context_recall", "arguments": "{}"}
    assert texts(send(session, request(*ONE, asked, result("c2", FILE))))[1] == FILE


def test_a_call_without_a_result_is_in_flight(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="log")
    send(session, request(*ONE, call("c2", "make deploy")))
    assert told(journal(tmp_path))[-1] == (StepKind.CALL, "make deploy")
    assert session.memory.state().next_action == "make deploy"
    send(session, request(*ONE, call("c2", "make deploy"), result("c2", "done")))
    assert session.memory.state().in_flight == ()


def test_observed_results_are_taken_down_once_also_when_they_are_sent(tmp_path: Path) -> None:
    session = Session(data=tmp_path, memory="log")
    seen = session.observe(Observation(output=NOISE, command="./a", exit_code=3), call_id="c1").text
    plain = session.observe(Observation(output="b is done", command="./b"))
    again = session.observe(Observation(output=NOISE, command="./a", exit_code=3), call_id="c1")
    assert again.text == seen
    history = (call("c1", "./a"), result("c1", seen), call("c2", "./b"), result("c2", plain.text))
    send(session, request(*history))
    found = journal(tmp_path)
    assert told(found) == [
        (StepKind.STEP, "./a"),
        (StepKind.STEP, "./b"),
        (StepKind.USER, "Mend the test"),
    ]
    assert found[0].exit_code == 3


def test_results_in_messages_of_the_users_are_not_their_words(tmp_path: Path) -> None:
    session = Session("text", data=tmp_path, memory="log")
    out = session.observe(Observation(output="3 files changed, 2 insertions", command="git diff"))
    run = {"role": "assistant", "content": "I look.\n```bash\nls -la\n```"}
    payload = {
        "messages": [
            {"role": "user", "content": "Mend it"},
            {"role": "assistant", "content": "```bash\ngit diff\n```"},
            {"role": "user", "content": f"It printed:\n{out.text}"},
            run,
            {
                "role": "user",
                "content": "<returncode>2</returncode>\n<output>\nno such file</output>",
            },
        ]
    }
    session.rewrite(payload)
    session.rewrite(payload)
    assert told(journal(tmp_path)) == [
        (StepKind.STEP, "git diff"),
        (StepKind.USER, "Mend it"),
        (StepKind.STEP, "ls -la"),
    ]
    assert journal(tmp_path)[-1].exit_code == 2


def test_what_a_host_asks_on_the_side_is_not_taken_down(tmp_path: Path) -> None:
    session = Session(data=tmp_path, memory="on")
    title = {"messages": [{"role": "user", "content": "Find a title for this chat"}]}
    assert session.rewrite(title) is title
    assert journal(tmp_path) == []


def test_secrets_stay_out_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOY_API_TOKEN", "q8J2kLz0vT5xWm3n")
    session = Session("run", data=tmp_path, memory="on")
    long = "x" * 2_390 + " q8J2kLz0vT5xWm3n " + "y" * 4_000
    asked = call("c1", "deploy --token q8J2kLz0vT5xWm3n")
    task = "Use q8J2kLz0vT5xWm3n to deploy"
    send(session, request(asked, result("c1", long), task=task))
    session.close()
    found = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"q8J2kLz0vT5" not in found
    assert all("q8J2" not in f"{s.action}{s.observation}" for s in journal(tmp_path))


class Broken:
    def redact(self, text: str) -> str:
        if "secret" in text:
            raise RedactionError("the vault is closed: open it")
        return text


def test_memory_fails_closed(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, redactor=Broken(), memory="log")
    with pytest.raises(RedactionError):
        send(session, request(task="a secret"))
    (tmp_path / "journal").write_text("not a folder")
    with pytest.raises(MemoryStoreError):
        send(Session("other", data=tmp_path, memory="log"), request())
    with pytest.raises(MemoryStoreError):
        Session("third", data=tmp_path, memory="log").observe(Observation(output="x", command="y"))


def test_a_broken_ledger_costs_no_step(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"this is no database" * 1000)
    session = Session("run", data=tmp_path, memory="on")
    for end in (0, 2, 2, 4):
        payload = session.offer(request(*TWO_STEPS[:end]))
        assert session.rewrite(payload)["messages"][0] == payload["messages"][0]
    assert [step.action for step in journal(tmp_path)] == ["", "cat a.py", "ls"]


TWO_STEPS = (*ONE, call("c2", "ls"), result("c2", "a.py"))


def test_nothing_is_told_where_nothing_is_known(tmp_path: Path, wire: str) -> None:
    payload = render(wire, conversation(*steps("one")))
    session = Session("run", data=tmp_path, memory="on")
    assert session.rewrite(payload, wire=wire) is payload


def test_another_process_is_told_where_the_work_stands(tmp_path: Path, wire: str) -> None:
    talk = conversation(*steps("E   assert 1 == 2\n1 failed", "1 passed"))
    code = (
        "import json, sys\n"
        "from agentctx import Session\n"
        "data, wire = sys.argv[1:]\n"
        "with Session('first', data=data, memory='on') as session:\n"
        "    for line in sys.stdin:\n"
        "        session.rewrite(session.offer(json.loads(line), wire=wire), wire=wire)\n"
        "    session.memory.commit('Found it', next_action='edit parser.py line 7')\n"
    )
    lines = "\n".join(json.dumps(render(wire, talk, calls)) for calls in range(3))
    subprocess.run([sys.executable, "-c", code, tmp_path, wire], input=lines, text=True, check=True)
    raw = render(wire, conversation(task="Please go on."))
    kept = deepcopy(raw)
    later = Session("second", data=tmp_path, memory="on")
    said = later.rewrite(raw, wire=wire)
    assert raw == kept
    assert formats.get(wire).check(said) == formats.get(wire).check(raw)
    assert head(wire, said).startswith("Please go on.")
    assert RULE in block(wire, said)
    assert "edit parser.py line 7" in block(wire, said)
    assert COUNT(block(wire, said)) - COUNT(RULE) <= 600
    recalled = later.handle(ToolCall(id="x", name="context_recall", arguments={}))
    assert recalled is not None
    assert RULE in recalled
    assert COUNT(recalled) - COUNT(RULE) <= 600


def test_the_block_is_replayed_byte_for_byte(tmp_path: Path, wire: str) -> None:
    with Session("old", data=tmp_path, memory="on") as old:
        sent(old, wire, conversation(*steps("one")))
    talk = conversation(*steps("a", "b", "c", "d"), task="Go on.")
    before: list[str] = []
    for calls in range(5):
        now = bodies(sent(Session("new", data=tmp_path, memory="on"), wire, talk, calls))
        assert now[: len(before)] == before
        before = now
    assert RULE in before[0] or RULE in before[1]  # behind a system message


def test_a_host_that_keeps_what_was_sent_is_not_told_twice(tmp_path: Path, wire: str) -> None:
    with Session("old", data=tmp_path, memory="on") as old:
        sent(old, wire, conversation(*steps("one")))
    session = Session("new", data=tmp_path, memory="on")
    first = sent(session, wire, conversation(task="Go on."))
    assert session.rewrite(first, wire=wire) is first
    key = "input" if wire == "openai_responses" else "messages"
    more = render(wire, conversation(*steps("a"), task="Go on."))[key][len(first[key]) :]
    longer = {**first, key: [*first[key], *more]}
    assert Session("new", data=tmp_path, memory="on").rewrite(longer, wire=wire) == longer
    assert [s.observation for s in journal(tmp_path) if s.kind is StepKind.USER] == [RULE, "Go on."]


COMPACTIONS = {
    "summary instead of all": conversation(
        task="Here is a summary of the conversation to date:\n\nThe parser was looked at."
    ),
    "task, summary and the last step": conversation(
        Turn(text="Summary: the parser was looked at.", user="Continue."),
        *steps("four", start=3),
    ),
    "the last steps alone": conversation(*steps("four", start=3), task="Go on with this:"),
}


@pytest.mark.parametrize("name", ["run", None])
@pytest.mark.parametrize("compacted", COMPACTIONS.values(), ids=COMPACTIONS)
def test_a_compaction_is_committed_and_told(
    tmp_path: Path, wire: str, name: str | None, compacted: Conversation
) -> None:
    correction = "No, use the old parser."
    talk = conversation(
        *steps("one", "two"),
        Turn(text="Which one?", user=correction),
        *steps("three", "four", start=2),
    )
    session = Session(name, data=tmp_path, memory="on")
    for calls in range(6):
        assert not block(wire, sent(session, wire, talk, calls))
    after = sent(session, wire, compacted)
    assert correction in block(wire, after)
    assert RULE in head(wire, after)
    assert head(wire, after).count(RULE) == 1
    if name or compacted.turns:
        assert not any(step.kind is StepKind.STEP for step in session.memory.live())
    found = [step.action for step in journal(tmp_path) if step.kind is StepKind.STEP]
    assert found == [f"make call_{n}" for n in range(4)]
    words = [step.observation for step in journal(tmp_path) if step.kind is StepKind.USER]
    assert not any("summary" in text for text in words)
    longer = replace(compacted, turns=(*compacted.turns, *steps("five", start=4)))
    more = sent(session, wire, longer)
    assert bodies(more)[: len(bodies(after))] == bodies(after)


def test_going_back_and_exploring_is_no_epoch(tmp_path: Path, wire: str) -> None:
    with Session("old", data=tmp_path, memory="on") as old:
        sent(old, wire, conversation(*steps("zero")), 1)
    session = Session("new", data=tmp_path, memory="on")
    talk = conversation(*steps("one", "two", "three"), task="Go on.")
    first = [block(wire, sent(session, wire, talk, calls)) for calls in range(4)]
    other = conversation(*steps("one"), *steps("other", "third", start=5), task="Go on.")
    second = [block(wire, sent(session, wire, other, calls)) for calls in range(4)]
    assert set(first + second) == {first[0]}
    assert len(first[0]) > 0
    assert block(wire, sent(session, wire, talk)) == first[0]


def test_a_host_that_slides_its_window_is_seldom_told_anew(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="on")
    blocks = []
    for end in range(1, 40):
        window = conversation(*steps(*map(str, range(end)))[max(0, end - 5) :])
        blocks.append(block("openai_chat", sent(session, "openai_chat", window)))
    assert len(set(blocks)) <= 5
    assert len(session.memory.snapshot().records(k=100)) <= 4
    assert [s.action for s in journal(tmp_path) if s.kind is StepKind.STEP] == [
        f"make call_{n}" for n in range(39)
    ]


def test_a_session_goes_on_on_its_branch(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="on")
    send(session, request(*ONE))
    made = ToolCall(id="x", name="context_branch", arguments={"name": "try", "purpose": "a test"})
    said = session.handle(made)
    assert said is not None
    assert said.startswith("on new branch try")
    assert Session("run", data=tmp_path, memory="on").memory.current == "try"
    assert Session("other", data=tmp_path, memory="on").memory.current == "main"
    chosen = Settings(memory=Remember.ON, memory_branch="try", data=tmp_path)
    assert Session(settings=chosen).memory.current == "try"


def test_a_fork_knows_what_its_parent_heard(tmp_path: Path, wire: str) -> None:
    parent = Session("parent", data=tmp_path, memory="on")
    sent(parent, wire, conversation(*steps("one")))
    child = parent.fork("Sub Agent/7", "look at the lexer")
    assert (parent.memory.current, child.memory.current) == ("main", "sub-agent-7")
    said = sent(child, wire, conversation(task="Look at the lexer."))
    assert RULE in block(wire, said)
    sent(child, wire, conversation(*steps("lexed", start=9), task="Look at the lexer."))
    child.memory.commit("The lexer is fine", findings=["lexer is fine"])
    assert [s.action for s in journal(tmp_path, "sub-agent-7")][-1] == "make call_9"
    assert "make call_9" not in [s.action for s in journal(tmp_path)]
    again = Session("parent", data=tmp_path, memory="on").fork("Sub Agent/7", "look at the lexer")
    assert again.memory.current == "sub-agent-7"
    parent.memory.merge("sub-agent-7")
    assert "lexer is fine" in [note.text for note in parent.memory.state().findings]


def test_a_fork_knows_what_was_only_said(tmp_path: Path) -> None:
    parent = Session("parent", data=tmp_path, memory="on")
    sent(parent, "openai_chat", conversation())
    child = parent.fork("sub", "look at the lexer", branch="agents/lexer")
    assert child.memory.current == "agents/lexer"
    assert RULE in block("openai_chat", sent(child, "openai_chat", conversation(task="The lexer.")))


def test_a_branch_of_the_models_knows_what_was_said_before(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="on")
    sent(session, "openai_chat", conversation())
    arguments = {"name": "try", "purpose": "another way"}
    session.handle(ToolCall(id="x", name="context_branch", arguments=arguments))
    assert [word.text for word in session.memory.state().words] == [RULE]


def test_another_agent_is_told_what_it_needs(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="log")
    sent(session, "openai_chat", conversation(*steps("1 failed")))
    session.memory.commit("The lexer is at fault", next_action="mend the lexer")
    assert "mend the lexer" in session.handoff(Receiver(), 500).text


def test_what_a_crash_left_in_the_journal_is_not_taken_down_again(tmp_path: Path) -> None:
    with Session("run", data=tmp_path, memory="log") as session:
        session.memory.log(observation=FILE, action="cat a.py", call_id="c1")
        session.memory._journals.close()  # no marks, no commit: the process is gone
        later = Session("run", data=tmp_path, memory="log")
        send(later, request(*ONE))
        send(later, request(*TWO_STEPS))
    assert [step.action for step in journal(tmp_path)] == ["cat a.py", "", "ls"]


def test_requests_of_one_conversation_at_once_are_taken_down_once(tmp_path: Path) -> None:
    sessions = [Session("run", data=tmp_path, memory="on") for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        for end in (0, 2, 4):
            payloads = [request(*TWO_STEPS[:end])] * 8
            made = list(pool.map(send, sessions * 2, payloads))
            assert all(one == made[0] for one in made)
    assert [step.action for step in journal(tmp_path)] == ["", "cat a.py", "ls"]


def test_a_fork_needs_memory(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="memory is off: set"):
        Session(data=tmp_path).fork("sub", "x")


def test_a_session_commits_what_is_left_at_its_end(tmp_path: Path) -> None:
    with Session("run", data=tmp_path, memory="log") as session:
        send(session, request(*ONE))
    with Session("run", data=tmp_path, memory="log") as again:
        send(again, request(*ONE))
    records = again.memory.snapshot().records(k=10)
    assert len(records) == 1
    assert "cat a.py" in records[0].contribution
    assert again.memory.live() == ()


def test_the_model_is_reminded_now_and_then(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []
    lines = []
    for number in range(64):
        messages += [call(f"c{number}", f"./{number}"), result(f"c{number}", f"{number} done")]
        session = Session("run", data=tmp_path, memory="on")
        now = texts(send(session, request(*messages)))
        assert now[: len(lines)] == lines
        lines = now
    reminded = [number for number, text in enumerate(lines, 1) if text.endswith("context_commit]")]
    assert reminded == [30, 40, 50, 60]
    assert lines[29] == "29 done\n[agentctx: 30 steps since the last commit · context_commit]"


def test_tests_that_turn_green_remind_of_a_commit(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="on")
    ran = [
        *(call("c1", "pytest -q"), result("c1", "2 failed, 1 passed")),
        *(call("c2", "sed -i s/a/b/ x.py"), result("c2", "ok")),
        *(call("c3", "pytest -q"), result("c3", "3 passed")),
        *(call("c4", "pytest -q"), result("c4", "3 passed in 2 s")),
    ]
    for end in (2, 4, 6, 8):
        shown = texts(send(session, request(*ran[:end])))
    assert [text.endswith("· context_commit]") for text in shown] == [False, False, True, False]


def test_nothing_reminds_a_model_that_cannot_commit(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="on", expand_hint="agentctx expand {handle}")
    shown = [session.observe(Observation(output=f"{n} done", command="x")).text for n in range(40)]
    assert not any("context_commit" in text for text in shown)


def test_a_commit_starts_the_count_anew(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="on")
    messages: list[dict[str, Any]] = []
    for number in range(40):
        messages += [call(f"c{number}", f"./{number}"), result(f"c{number}", f"{number} done")]
        shown = texts(send(session, request(*messages)))
        if number == 19:
            asked = ToolCall(id="x", name="context_commit", arguments={"summary": "half"})
            assert (session.handle(asked) or "").startswith("committed ")
    assert not any("context_commit" in text for text in shown)


def test_measuring_takes_down_and_shows_nothing(tmp_path: Path) -> None:
    settings = Settings(mode=Mode.METER, memory=Remember.ON, data=tmp_path)
    with Session("old", settings=settings) as old:
        old.rewrite(request(*ONE))
    payload = request(task="Go on")
    assert Session("new", settings=settings).rewrite(payload) is payload
    assert [step.action for step in journal(tmp_path)] == ["", "cat a.py", ""]


def test_the_setting_comes_from_the_environment_and_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTCTX_MEMORY", "log")
    assert Session(data=tmp_path).settings.memory is Remember.LOG
    assert Session(data=tmp_path, memory="on").settings.memory is Remember.ON
    assert len(Session(data=tmp_path, memory="on").tools()) == 7
    with pytest.raises(ConfigError, match="memory 'maybe': use one of off, log, on"):
        Session(data=tmp_path, memory="maybe")
    bad = Settings(memory=Remember.ON, memory_branch="No Name")
    with pytest.raises(ConfigError, match="memory_branch: 'No Name' is no name"):
        Session(settings=bad)


def test_a_server_that_keeps_the_history_is_told_nothing_twice(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="on")
    tools = [{"type": "function", "name": "bash", "parameters": {"type": "object"}}]
    ask = {"type": "message", "role": "user", "content": "Mend it"}
    out = {"type": "function_call_output", "call_id": "c1", "output": "done"}
    first = {"input": [ask], "tools": tools}
    second = {"input": [out], "previous_response_id": "resp_1", "tools": tools}
    for payload in (first, second, second):
        assert session.rewrite(payload) is payload
    assert [(s.kind, s.call_id) for s in journal(tmp_path)] == [
        (StepKind.USER, ""),
        (StepKind.STEP, "c1"),
    ]
    assert not session.memory.store.branches()


async def test_the_twins_do_the_same(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path, memory="on")
    await session.arewrite(session.offer(request(*ONE)))
    call = ToolCall(id="x", name="context_commit", arguments={"summary": "half"})
    assert (await session.ahandle(call) or "").startswith("committed ")
    await session.aclose()
    assert [step.action for step in journal(tmp_path)] == ["", "cat a.py"]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENTCTX_MEMORY", raising=False)


_MOVES = st.lists(st.sampled_from("step step step answer compact shrink back".split()), max_size=9)


@settings(max_examples=200 if LONG else 8)
@given(st.sampled_from(WIRES), _MOVES)
def test_the_prefix_moves_at_an_epoch_only_and_no_word_is_ever_missing(
    wire: str, moves: list[str]
) -> None:
    with TemporaryDirectory() as folder:
        talk, words = conversation(), [RULE]
        before: tuple[list[str], list[str]] = ([], [])
        for number, move in enumerate(["start", *moves]):
            talk = moved(talk, move, number)
            if move == "answer":
                words.append(talk.turns[-1].user)
            if move == "back":  # the user has taken it back
                words = [word for word in words if word == RULE or word in raw_text(talk)]
            session = Session("run", data=folder, memory="on")
            raw = session.offer(render(wire, talk), wire=wire)
            now = session.rewrite(raw, wire=wire)
            epoch = any(event.kind == "epoch" for event in session.stores.events.recent)
            assert not any(event.kind.endswith("failed") for event in session.stores.events.recent)
            if bodies(raw)[: len(before[0])] == before[0] and not epoch:
                assert bodies(now)[: len(before[1])] == before[1]
            said = "\n".join(slot.text for slot in formats.get(wire).read(now))
            assert [word for word in words if word not in said] == []
            before = (bodies(raw), bodies(now))


def raw_text(talk: Conversation) -> str:
    return "\n".join(turn.user for turn in talk.turns)


def moved(talk: Conversation, move: str, number: int) -> Conversation:
    turns = talk.turns
    match move:
        case "step":
            turns = (*turns, *steps(f"output {number}", start=number))
        case "answer":
            turns = (*turns, Turn(text=f"Done with {number}.", user=f"Next: never use {number}."))
        case "compact":
            return replace(talk, task=f"Here is a summary of our work so far: {number}.", turns=())
        case "shrink":
            summary = Turn(text=f"Summary {number}: all went well.", user="Continue.")
            turns = (summary, *turns[-1:]) if len(turns) > 3 else turns
        case "back":
            turns = turns[:-1]
    return replace(talk, turns=turns)
