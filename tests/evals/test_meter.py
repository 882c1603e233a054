from __future__ import annotations

from agentctx.evals.controls import Mask, Raw
from agentctx.evals.host import Request
from agentctx.evals.meter import Call, Meter, Tally
from agentctx.evals.walk import walk
from agentctx.tokens import counter
from agentctx.values import Payload
from tests.evals.runs import trajectory


def words(*texts: str, **head: object) -> Payload:
    """Return a payload with one message for each text; "a b" is two tokens."""
    return {**head, "messages": [{"role": "user", "content": text} for text in texts]}


def measured(*payloads: Payload, standing: str = "") -> Meter:
    meter = Meter(Tally(counter()), standing)
    for payload in payloads:
        meter.measure(payload, Request(payload, "openai_chat", ()), 1)
    return meter


def test_a_longer_request_extends_the_shorter_one() -> None:
    meter = measured(words("a b"), words("a b", "c d e"))
    assert meter.calls == [Call(0, 2, 1), Call(2, 5, 1)]
    assert meter.moved == 0


def test_a_changed_message_moves_the_prefix() -> None:
    meter = measured(words("a", "b c"), words("a", "b d", "e"))
    assert meter.calls[1] == Call(1, 4, 1)
    assert meter.moved == 1


def test_a_message_left_out_moves_the_prefix() -> None:
    assert measured(words("a", "b"), words("a")).moved == 1


def test_a_changed_head_shares_nothing() -> None:
    meter = measured(words("a", system="x"), words("a", "b", system="y"))
    assert meter.calls[1] == Call(0, 3, 1)
    assert meter.moved == 1


def test_a_standing_text_is_in_every_request() -> None:
    meter = measured(words("a"), words("a", "b"), standing="x y z")
    assert meter.calls == [Call(0, 4, 1), Call(4, 5, 1)]


def test_calls_and_results_are_counted_without_json_escapes() -> None:
    tally = Tally(counter())
    result = {"type": "tool_result", "tool_use_id": "1", "content": 'a "b"\n'}
    assert tally.message({"role": "user", "content": [result]}) == counter().count('a "b"\n')


def test_what_was_shown_is_known_for_every_call() -> None:
    run = trajectory(
        *[(f"echo {i}", f"the long output of command number {i}\n") for i in range(12)]
    )
    masked = walk(run, Mask().start(run, {}), Tally(counter()))
    assert masked.at(0, 5) == "the long output of command number 0\n"
    assert masked.last(0) == "[old output omitted]"
    assert masked.last(11) == "the long output of command number 11\n"
    assert masked.moved == 2


def test_a_native_run_ends_with_a_call_that_shows_the_last_result() -> None:
    native, text = trajectory(("ls", "a\n")), trajectory(("ls", "a\n"), native=False)
    raw = Raw()
    assert len(walk(native, raw.start(native, {}), Tally(counter())).calls) == 2
    assert len(walk(text, raw.start(text, {}), Tally(counter())).calls) == 1
