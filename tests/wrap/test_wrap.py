from __future__ import annotations

import json
import re
from typing import Any

import pytest

from agentctx.testing import Fault, Reply, Thinking, call
from agentctx.values import Usage
from tests.wrap.hosts import (
    HOSTS,
    STREAMS,
    Anthropic,
    AnthropicStream,
    Chat,
    ChatStream,
    Host,
    Responses,
    ResponsesStream,
    check_requests,
    each,
    serving,
)

LOG = "\n".join(
    f"step {n}: compiling module_{n}.c with -O{n % 4} into build/objects/{n * 7919:x}.o"
    for n in range(900)
)
HIDDEN = LOG.splitlines()[450]

every_host = each(HOSTS)
main_hosts = each([Chat, ChatStream, Responses, ResponsesStream, Anthropic, AnthropicStream])
every_stream = each(STREAMS)


def handle(payload: dict[str, Any]) -> str:
    found = re.findall(r"expand ([0-9a-f]{6,})", json.dumps(payload))
    assert found, "nothing was reduced"
    return found[-1]


def expand(payload: dict[str, Any], lines: str = "440-460") -> Any:
    return call("expand", handle=handle(payload), lines=lines)


def started(host: Host) -> None:
    """Let the model call bash, and answer with a long log."""
    host.user("build it")
    [(call_id, _, _)] = host.ask().calls
    host.result((call_id, LOG))


BASH = call("bash", command="make")


@every_host
def test_a_plain_reply_passes_through(kind, tmp_path):
    with serving(kind, tmp_path, "hello there") as host:
        host.user("hi")
        seen = host.ask()
    assert (seen.text, seen.calls) == ("hello there", [])


@every_host
def test_expand_is_answered_inside_and_stays_in_the_history_that_the_model_sees(kind, tmp_path):
    lines = [BASH, lambda p: ["Let me look. ", expand(p)], "It built.", "Bye.", "Really."]
    with serving(kind, tmp_path, *lines) as host:
        started(host)
        seen = host.ask()
        assert seen.calls == []
        assert seen.text in ("It built.", "Let me look. It built.")
        host.user("thanks")
        assert host.ask().text == "Bye."
        host.user("bye")
        host.ask()
        assert len(host.upstream.requests) == 5
        assert HIDDEN not in json.dumps(host.upstream.bodies[1])
        for body in host.upstream.bodies[2:]:
            assert HIDDEN in json.dumps(body)
        check_requests(host)


@every_host
def test_expand_is_offered_from_the_first_request_on(kind, tmp_path):
    with serving(kind, tmp_path, "x") as host:
        host.user("hi")
        host.ask()
    assert '"expand"' in json.dumps(host.upstream.bodies[0]["tools"])


@each([k for k in HOSTS if k.__name__ != "Function"])
def test_a_request_without_tools_gets_none(kind, tmp_path):
    with serving(kind, tmp_path, "x", tools=False) as host:
        host.user("hi")
        host.ask()
    assert "tools" not in host.upstream.bodies[0]


ORDERS = {
    "ours first": lambda ours, theirs: [ours, theirs],
    "theirs first": lambda ours, theirs: [theirs, ours],
    "text around": lambda ours, theirs: ["Both: ", ours, theirs],
}


@pytest.mark.parametrize("order", ORDERS)
@main_hosts
def test_beside_the_callers_own_call_ours_is_hidden_and_its_answer_put_back(kind, order, tmp_path):
    theirs = call("bash", command="ls")
    lines = [BASH, lambda p: ORDERS[order](expand(p), theirs), "Done.", "Bye."]
    with serving(kind, tmp_path, *lines) as host:
        started(host)
        seen = host.ask()
        assert seen.calls == [(theirs.id, "bash", {"command": "ls"})]
        assert seen.stop in ("tool_calls", "tool_use", "completed", None)
        host.result((theirs.id, "a.out"))
        assert host.ask().text == "Done."
        assert len(host.upstream.requests) == 3
        assert HIDDEN in json.dumps(host.upstream.bodies[2])
        host.user("thanks")
        host.ask()
        check_requests(host)


@every_host
def test_rounds_may_precede_a_turn_with_calls_of_both(kind, tmp_path):
    theirs = call("bash", command="ls")
    lines = [
        BASH,
        lambda p: [Thinking("hm"), "One. ", expand(p, "100-110")],
        lambda p: [Thinking("hm again"), expand(p, "200-210"), expand(p, "300-310")],
        lambda p: ["Three. ", expand(p, "400-460"), theirs, expand(p, "500-510")],
        "Done.",
        "Bye.",
    ]
    with serving(kind, tmp_path, *lines) as host:
        started(host)
        seen = host.ask()
        assert [made[0] for made in seen.calls] == [theirs.id]
        host.result((theirs.id, "a.out"))
        assert host.ask().text == "Done."
        host.user("thanks")
        host.ask()
        assert len(host.upstream.requests) == 6
        check_requests(host)


@every_host
def test_what_was_said_inside_survives_a_restart_and_a_fork(kind, tmp_path):
    theirs = call("bash", command="ls")
    lines = [
        BASH,
        lambda p: ["Look. ", expand(p)],
        lambda p: [expand(p, "1-20"), theirs],
        "Done.",
        "Fork.",
    ]
    with serving(kind, tmp_path, *lines) as host:
        started(host)
        host.ask()
        fork = list(host.history)
        host.result((theirs.id, "a.out"))
        other = host.restarted()
        other.ask()
        check_requests(host)
        forked = host.restarted()
        forked.history = fork
        forked.result((theirs.id, "something else"))
        forked.ask()
        main, branch = host.upstream.bodies[3][host.key], host.upstream.bodies[4][host.key]
        assert HIDDEN in json.dumps(branch)
        assert main[:-1] == branch[:-1]
        other.close()
        forked.close()


@main_hosts
def test_a_model_that_only_expands_is_told_to_stop_and_then_stopped(kind, tmp_path):
    with serving(kind, tmp_path, BASH, *[lambda p: ["x", expand(p)]] * 30) as host:
        started(host)
        seen = host.ask()
        assert seen.calls == []
        assert len(host.upstream.requests) == 1 + 10
        assert "no more context calls" in json.dumps(host.upstream.bodies[-1])
        assert "no more context calls" not in json.dumps(host.upstream.bodies[-2])
        check_requests(host)


@main_hosts
def test_a_call_of_ours_that_cannot_be_read_is_answered_with_an_error(kind, tmp_path):
    lines = [BASH, call("expand"), call("expand", handle="ffffff"), "Sorry."]
    with serving(kind, tmp_path, *lines) as host:
        started(host)
        assert host.ask().text == "Sorry."
        assert json.dumps(host.upstream.bodies[3]).count("error: ") == 2
        check_requests(host)


TOLD = [
    Usage(input=1000, output=10),
    Usage(input=100, cache_read=900, output=20),
    Usage(input=50, cache_read=950, output=30),
]


@each([k for k in HOSTS if k.__name__ not in ("Function", "LiteLLMStream")])
def test_the_usage_of_a_reply_is_what_all_its_rounds_cost(kind, tmp_path):
    first, second, third = TOLD
    lines = [
        Reply(parts=(BASH,), usage=first),
        lambda p: Reply(parts=(expand(p),), usage=second),
        Reply(parts=("Done.",), usage=third),
    ]
    with serving(kind, tmp_path, *lines) as host:
        started(host)
        usage = host.ask().usage.model_dump()
        recorded = host.session.stores.ledger.stats().usage
    total = second.prompt + third.prompt
    prompt = usage.get("prompt_tokens") or usage["input_tokens"]
    assert prompt == (total if kind.name != "anthropic" else second.input + third.input)
    assert (usage.get("completion_tokens") or usage["output_tokens"]) == 50
    assert recorded.prompt == sum(each.prompt for each in TOLD)
    assert recorded.cache_read == 1850
    assert recorded.output == 60


@every_host
@pytest.mark.parametrize("status", [400, 429])
def test_an_error_of_the_provider_passes_through(kind, status, tmp_path):
    with serving(kind, tmp_path, Fault(status, "no luck")) as host:
        host.user("hi")
        with pytest.raises(Exception, match="no luck") as caught:
            host.ask()
    assert caught.value.status_code == status


@every_host
def test_an_error_in_a_later_round_passes_through_and_a_retry_goes_on(kind, tmp_path):
    lines = [BASH, lambda p: [expand(p)], Fault(429, "slow down"), lambda p: [expand(p)], "Done."]
    with serving(kind, tmp_path, *lines) as host:
        started(host)
        with pytest.raises(Exception, match="slow down") as caught:
            host.ask()
        assert caught.value.status_code == 429
        assert host.ask().text == "Done."
        check_requests(host, first=3)


@each([Chat, Anthropic])
def test_the_callers_own_history_is_never_changed(kind, tmp_path):
    with serving(kind, tmp_path, BASH, lambda p: [expand(p)], "Done.", "Bye.") as host:
        started(host)
        host.ask()
        host.user("thanks")
        before = repr(host.history)
        host.send()
        assert repr(host.history) == before


@every_stream
def test_a_stream_shows_no_trace_of_our_calls(kind, tmp_path):
    theirs = call("bash", command="ls")
    lines = [BASH, lambda p: ["a", expand(p), "b", theirs, expand(p), "c"]]
    with serving(kind, tmp_path, *lines) as host:
        started(host)
        seen = host.ask()
    assert seen.text == "abc"
    assert seen.calls == [(theirs.id, "bash", {"command": "ls"})]
