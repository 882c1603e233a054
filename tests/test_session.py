from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from agentctx.config import Settings
from agentctx.errors import RedactionError
from agentctx.options import Mode
from agentctx.session import Session
from agentctx.terminal.marker import handles
from agentctx.values import Observation, ToolCall, Usage

FILE = "\n".join(f"    value_{i} = compute_{i * 7}(argument_{i})" for i in range(60))
TOOLS = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}]
NOISE = "start\n" + "waiting for the server to come up\n" * 300 + "up"


def call(name: str, command: str) -> dict[str, Any]:
    function = {"name": "bash", "arguments": f'{{"command": "{command}"}}'}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": name, "type": "function", "function": function}],
    }


def result(name: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": text}


def request(*messages: dict[str, Any], task: str = "Mend the test") -> dict[str, Any]:
    return {
        "model": "unpriced",
        "messages": [{"role": "user", "content": task}, *messages],
        "tools": TOOLS,
    }


def texts(payload: dict[str, Any]) -> list[str]:
    return [m["content"] for m in payload["messages"] if m["role"] == "tool"]


def send(session: Session, payload: dict[str, Any], **options: Any) -> dict[str, Any]:
    return session.rewrite(session.offer(payload), **options)


ONE = (call("c1", "cat a.py"), result("c1", FILE))
TWO = (*ONE, call("c2", "cat a.py"), result("c2", FILE))


def test_the_second_look_at_a_file_is_a_reference(tmp_path: Path) -> None:
    session = Session(data=tmp_path)
    assert texts(send(session, request(*ONE))) == [FILE]
    first, second = texts(send(session, request(*TWO)))
    assert first == FILE
    assert "shown in the last result, lines 1-60" in second


def test_a_restart_replays_the_same_bytes(tmp_path: Path) -> None:
    send(Session(data=tmp_path), request(*ONE))
    before = send(Session(data=tmp_path), request(*TWO))
    more = (call("c3", "ls"), result("c3", "a.py"))
    after = send(Session(data=tmp_path), request(*TWO, *more))
    assert after["messages"][: len(before["messages"])] == before["messages"]


def test_a_restart_in_another_process_expands_what_was_hidden(tmp_path: Path) -> None:
    sent = send(Session(data=tmp_path), request(*ONE[:1], result("c1", NOISE)))
    (handle,) = handles(texts(sent)[0])
    code = (
        "from agentctx import Session, ToolCall\n"
        f"call = ToolCall(id='x', name='expand', arguments={{'handle': {handle!r}}})\n"
        f"print(Session(data={str(tmp_path)!r}).handle(call), end='')"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == NOISE


def test_a_fork_keeps_what_was_decided_and_decides_the_rest_anew(tmp_path: Path) -> None:
    session = Session(data=tmp_path)
    one = send(session, request(*ONE))
    left = send(session, request(*TWO))
    right = send(session, request(*ONE, call("d2", "make"), result("d2", NOISE)))
    for fork in (left, right):
        assert fork["messages"][: len(one["messages"])] == one["messages"]
    assert "repeat the line before" in texts(right)[1]


def test_a_reference_is_not_replayed_when_its_source_left_the_window(tmp_path: Path) -> None:
    session = Session(data=tmp_path)
    send(session, request(*ONE))
    send(session, request(*TWO))
    compacted = request(*TWO[2:])  # the host dropped the first exchange
    assert texts(send(session, compacted)) == [FILE]
    assert texts(send(Session(data=tmp_path), compacted)) == [FILE]


def test_a_history_met_half_way_stays_as_it_was_sent(tmp_path: Path) -> None:
    session = Session(data=tmp_path)
    noisy = (*ONE[:1], result("c1", NOISE))
    later = (call("c2", "make"), result("c2", NOISE))
    sent = send(session, request(*noisy, *later))
    assert texts(sent)[0] == NOISE
    assert texts(sent)[1] != NOISE
    assert texts(send(session, request(*noisy)))[0] == NOISE  # a retry must not move the prefix


def test_a_cold_cache_lets_earlier_observations_be_decided(tmp_path: Path) -> None:
    noisy = (*ONE[:1], result("c1", NOISE), call("c2", "ls"), result("c2", "a.py"))
    sent = send(Session(data=tmp_path), request(*noisy), cold=True)
    assert handles(texts(sent)[0])


def test_two_requests_of_one_session_at_once_agree(tmp_path: Path) -> None:
    payload = request(*ONE[:1], result("c1", NOISE))
    sessions = [Session("same", data=tmp_path) for _ in range(2)]
    sent: list[dict[str, Any]] = []

    def one(session: Session) -> None:
        sent.append(send(session, payload))

    threads = [threading.Thread(target=one, args=(session,)) for session in sessions * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(one == sent[0] for one in sent)
    assert len(sent) == 8


def test_an_answer_of_expand_is_never_reduced(tmp_path: Path) -> None:
    session = Session(data=tmp_path)
    asked = call("c2", "x")
    asked["tool_calls"][0]["function"] = {"name": "expand", "arguments": '{"handle": "a1b2c3"}'}
    sent = send(session, request(*ONE, asked, result("c2", FILE)))
    assert texts(sent)[1] == FILE


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.METER])
def test_off_and_meter_never_edit(tmp_path: Path, mode: Mode) -> None:
    session = Session(settings=Settings(mode=mode, data=tmp_path))
    payload = session.offer(request(*ONE[:1], result("c1", NOISE)))
    assert session.rewrite(payload) is payload
    metered = [event for event in session.stores.events.recent if event.kind == "metered"]
    assert bool(metered) is (mode is Mode.METER)


def test_excluded_tools_and_commands_are_left_alone(tmp_path: Path) -> None:
    settings = Settings(exclude_commands=("make *",), data=tmp_path)
    session = Session(settings=settings, expand_hint="agentctx expand {handle}")
    assert session.observe(Observation(output=NOISE, command="make all")).text == NOISE
    assert session.observe(Observation(output=NOISE, command="./wait.sh")).text != NOISE


def test_observe_then_rewrite_reduces_once(tmp_path: Path) -> None:
    session = Session(data=tmp_path)
    send(session, request())
    text = session.observe(Observation(output=NOISE, command="./wait"), call_id="c1").text
    assert handles(text)
    assert texts(send(session, request(*ONE[:1], result("c1", text)))) == [text]


def test_observe_refers_to_live_results_only(tmp_path: Path) -> None:
    session = Session("x", data=tmp_path, expand_hint="agentctx expand {handle}")
    session.observe(Observation(output=FILE, command="cat a.py"), call_id="1")
    gone = session.observe(Observation(output=FILE, command="cat a.py"), call_id="2", live=())
    assert gone.text == FILE
    back = session.observe(Observation(output=FILE, command="cat a.py"), call_id="3", live=("2",))
    assert "shown in the last result" in back.text


def test_observe_goes_on_after_a_restart(tmp_path: Path) -> None:
    options = {"data": tmp_path, "expand_hint": "agentctx expand {handle}"}
    noisy = Observation(output=NOISE, command="./wait")
    first = Session("run-1", **options).observe(noisy)
    again = Session("run-1", **options).observe(noisy)
    assert first.text == Session("run-1", **options).observe(noisy, call_id="#0").text
    assert again.text == first.text  # hidden lines are no target: the same reduction, anew


def test_secrets_never_reach_the_archive_or_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_API_TOKEN", "q8J2kLz0vT5xWm3n")
    session = Session(data=tmp_path, expand_hint="agentctx expand {handle}")
    leaked = NOISE + "\ntoken is q8J2kLz0vT5xWm3n"
    reduction = session.observe(Observation(output=leaked, command="./deploy"))
    original = session.stores.archive.read(session.stores.resolve(reduction.handle)).decode()
    for text in (reduction.text, original):
        assert "q8J2kLz0vT5xWm3n" not in text
    on_disk = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"q8J2kLz0vT5xWm3n" not in on_disk


class Broken:
    def redact(self, text: str) -> str:
        raise RedactionError("the vault is closed: open it")


def test_redaction_fails_closed(tmp_path: Path) -> None:
    session = Session(data=tmp_path, redactor=Broken())
    with pytest.raises(RedactionError):
        send(session, request(*ONE))
    with pytest.raises(RedactionError):
        session.observe(Observation(output="x"))


@pytest.mark.parametrize("name", ["state.db", "archive"])
def test_broken_stores_let_the_original_through(tmp_path: Path, name: str) -> None:
    if name == "archive":
        (tmp_path / name).write_text("not a folder")
    else:
        (tmp_path / name).write_bytes(b"this is no database" * 1000)
    session = Session(data=tmp_path)
    payload = session.offer(request(*ONE[:1], result("c1", NOISE)))
    assert texts(session.rewrite(payload)) == [NOISE]
    assert any(event.kind.endswith("failed") for event in session.stores.events.recent)


@pytest.mark.parametrize(
    "payload",
    [{}, {"messages": 3}, {"messages": [None, 4, {"role": []}]}, {"input": {"a": 1}}],
)
def test_a_malformed_payload_passes_through(tmp_path: Path, payload: dict[str, Any]) -> None:
    assert Session(data=tmp_path).rewrite(payload) is payload


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"handle": "zzzz"}, "error: "),
        ({"handle": "../../etc"}, "error: "),
        ({"handle": "abcdef"}, "error: "),
        ({"handle": ""}, "error: expand needs 'handle'"),
        ({"handle": "abcdef", "lines": "a-b"}, "error: lines 'a-b' is no range"),
        ({"handle": "abcdef", "lines": "9-3"}, "error: lines 9-3 ends before it begins"),
        ({"handle": "abcdef", "lines": "1" * 5000}, "error: lines '111"),
    ],
)
def test_wrong_arguments_of_expand_are_answered_in_one_line(
    tmp_path: Path, arguments: dict[str, str], says: str
) -> None:
    answer = Session(data=tmp_path).handle(ToolCall(id="x", name="expand", arguments=arguments))
    assert answer is not None
    assert answer.startswith(says)
    assert "\n" not in answer


def test_expand_pages_and_says_what_is_left(tmp_path: Path) -> None:
    session = Session(data=tmp_path, expand_hint="agentctx expand {handle}")
    log = "\n".join(["start", *["all work and no play " * 3] * 5000, "end"])
    handle = session.observe(Observation(output=log, command="./x")).handle

    def expand(**arguments: str) -> str:
        answer = session.handle(
            ToolCall(id="x", name="expand", arguments={"handle": handle, **arguments})
        )
        assert answer is not None
        return answer

    page = expand()
    assert page.startswith("start\n")
    shown = page.count("\n")
    assert page.endswith(
        f"\n[agentctx: {5002 - shown} more lines · expand {handle} lines={shown + 1}-]"
    )
    _, _, rest = page.rpartition("lines=")
    whole, following = page[: page.rindex("[agentctx:")], rest.rstrip("]")
    while following:
        page = expand(lines=following)
        more = page.rfind("[agentctx: ")
        whole += page if more < 0 else page[:more]
        following = "" if more < 0 else page.rpartition("lines=")[2].rstrip("]")
    assert whole == log
    assert expand(grep="^end$") == "5002:end"
    assert expand(lines="5002") == "end"
    assert "no lines there" in expand(grep="nowhere")
    assert "is not an RE2 pattern" in expand(grep="(")


def test_a_line_longer_than_a_page_is_expanded_to_its_end(tmp_path: Path) -> None:
    session = Session(data=tmp_path, expand_hint="agentctx expand {handle}")
    line = "".join(f"{n} " for n in range(60_000))
    handle = session.observe(Observation(output=f"start\n{line}", command="./x")).handle
    found, lines = "", "2"
    while lines:
        arguments = {"handle": handle, "lines": lines}
        page = session.handle(ToolCall(id="x", name="expand", arguments=arguments)) or ""
        text, _, rest = page.partition("\n[agentctx: ")
        found += text
        lines = rest.partition("lines=")[2].partition("]")[0]
    assert found == line


def test_a_namesake_of_the_hosts_is_not_ours(tmp_path: Path) -> None:
    call = ToolCall(id="x", name="expand", arguments={"path": "."})
    assert Session(data=tmp_path).handle(call) is None


def test_usage_calibrates_the_counts(tmp_path: Path) -> None:
    session = Session(data=tmp_path)
    sent = send(session, request(*ONE))
    session.record(Usage(input=1200, output=5), model="claude-x", sent=sent)
    assert not session._gauges.counter("claude-x").estimated
    assert session.stores.ledger.stats().calls == 1


async def test_async_twins_leave_the_loop_free(tmp_path: Path) -> None:
    session = Session(data=tmp_path, expand_hint="agentctx expand {handle}")
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    ticking = asyncio.create_task(tick())
    huge = "\n".join(f"line {i * 31} of the log" for i in range(100_000))
    reduction = await session.aobserve(Observation(output=huge, command="make"))
    ticking.cancel()
    assert handles(reduction.text)
    assert ticks > 20
    assert await session.ahandle(ToolCall(id="x", name="other", arguments={})) is None


async def test_async_twins_do_as_the_plain_methods(tmp_path: Path) -> None:
    session = Session("run", data=tmp_path)
    payload = session.offer(request(*ONE[:1], result("c1", NOISE)))
    sent = await session.arewrite(payload)
    assert handles(texts(sent)[0])
    assert session.rewrite(payload) == sent
    await session.arecord(Usage(input=7), model="m", sent=sent)
    assert session.stores.ledger.stats().usage == Usage(input=7)
