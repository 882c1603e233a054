"""Anthropic Messages: one violation for each rule, and none for what the API takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentctx.values import Payload
from agentctx.wire import anthropic
from tests.wire.anthropic_blocks import (
    MARK,
    MARKED,
    Json,
    assistant,
    request,
    result,
    text,
    use,
    user,
)

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}

BROKEN: dict[str, Callable[[], Payload]] = {
    "role-unknown": lambda: request({"role": "tool", "content": "x"}),
    "first-message-user": lambda: {"messages": [assistant(text("hi"))]},
    "block-role": lambda: request(user(THOUGHT)),
    "call-duplicate": lambda: request(
        assistant(use("a")), user(result("a")), assistant(use("a")), user(result("a"))
    ),
    "call-unanswered": lambda: request(assistant(use("a"), use("b")), user(result("a"))),
    "result-orphan": lambda: request(assistant(text("hi")), user(result("a"))),
    "result-duplicate": lambda: request(assistant(use("a")), user(result("a"), result("a"))),
    "results-first": lambda: request(assistant(use("a")), user(text("so:"), result("a"))),
    "content-empty": lambda: request({"role": "user", "content": ""}),
    "text-empty": lambda: request(user(text(" \n"))),
    "thinking-unsigned": lambda: request(assistant({"type": "thinking", "thinking": "hm"})),
    "marker-place": lambda: request(assistant({**THOUGHT, "cache_control": {"type": "ephemeral"}})),
    "error-not-text": lambda: request(
        assistant(use("a")), user(result("a", [{"type": "image", "source": {}}], is_error=True))
    ),
    "markers": lambda: request(
        assistant(use("a")), user(result("a", [MARKED] * 3)), system=[MARKED, MARKED]
    ),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_finds_what_breaks_it_and_only_that(rule: str) -> None:
    assert {violation.rule for violation in anthropic.check(BROKEN[rule]())} == {rule}


@pytest.mark.parametrize(
    "fields", [MARK, {"tools": [{"name": "t", "input_schema": {}, **MARK}]}, {"system": [MARKED]}]
)
def test_markers_are_counted_wherever_they_stand(fields: Json) -> None:
    blocks = user(*[MARKED] * 4)
    assert anthropic.check(request(blocks)) == []
    assert [v.rule for v in anthropic.check(request(blocks, **fields))] == ["markers"]


def test_an_empty_text_inside_a_result_is_found() -> None:
    (found,) = anthropic.check(request(assistant(use("a")), user(result("a", [text("")]))))
    assert (found.rule, found.path) == ("text-empty", ("messages", 2, "content", 0, "content", 0))


def test_an_unanswered_call_at_the_end_is_found() -> None:
    assert [v.rule for v in anthropic.check(request(assistant(use("a"))))] == ["call-unanswered"]


@pytest.mark.parametrize(
    "payload",
    [
        request(assistant(text("prefill"))),
        request(assistant(use("a")), user(result("a")), user(text("next"))),
        request(assistant(use("a")), assistant(use("b")), user(result("b")), user(result("a"))),
        request(
            assistant(use("a")), {"role": "system", "content": "s"}, user(result("a")), system=""
        ),
        request(assistant(use("a")), user(result("a", "", is_error=True))),
        request(user(MARKED), tools=[{"name": "t", "cache_control": {"type": "ephemeral"}}]),
    ],
)
def test_what_the_api_takes_breaks_no_rule(payload: Payload) -> None:
    assert anthropic.check(payload) == []
