from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentctx.errors import ToolError
from agentctx.session import Session
from agentctx.values import Observation, ToolCall, Usage


@pytest.mark.parametrize("arguments", [None, "handle", 5, ["handle"], b"handle", {}])
def test_a_call_without_arguments_of_ours_is_not_ours(tmp_path: Path, arguments: Any) -> None:
    call = ToolCall(id="1", name="expand", arguments=arguments)
    assert Session(data=tmp_path).handle(call) is None


@pytest.mark.parametrize(
    "arguments",
    [
        {"handle": {"a": 1}},
        {"handle": "\ud800"},
        {"handle": "../../etc"},
        {"handle": "a" * 100_000},
        {"lines": "9" * 5000},
        {"lines": [1, 2]},
        {"grep": "\ud800"},
        {"grep": "(" * 100_000},
        {"grep": ["x"]},
    ],
)
def test_what_cannot_be_expanded_is_answered_in_one_short_line(
    tmp_path: Path, arguments: dict[str, Any]
) -> None:
    session = Session("run", data=tmp_path, expand_hint="expand {handle}")
    made = session.observe(Observation(output="one line\n" * 900, command="make"))
    asked = {"handle": made.handle, **arguments}
    answer = session.handle(ToolCall(id="1", name="expand", arguments=asked))
    assert answer is not None
    assert answer.startswith("error: ")
    assert len(answer.splitlines()) == 1
    assert len(answer) < 400


@pytest.mark.parametrize("field", ["output", "command", "tool"])
@pytest.mark.parametrize("value", [None, b"bytes", 5])
def test_an_observation_of_something_else_than_text_is_refused(
    tmp_path: Path, field: str, value: Any
) -> None:
    with pytest.raises(ToolError, match=rf"^'{field}' of an observation is of type \w+: pass it"):
        Session(data=tmp_path).observe(Observation(**{"output": "x", field: value}))


@pytest.mark.parametrize("spent", [None, {}, Usage(input=None), Usage(input=2**70)])  # type: ignore[arg-type]
@pytest.mark.parametrize("sent", [None, 5, {"messages": [{"role": "user", "content": "hello"}]}])
def test_usage_that_cannot_be_counted_stops_nobody(tmp_path: Path, spent: Any, sent: Any) -> None:
    session = Session(data=tmp_path)
    session.record(spent, model="m", sent=sent)
    assert [event.kind for event in session.stores.events.recent] == ["record-failed"]
