from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentctx.evolve.trail import LEAST, Trail, of_slots, remember, remembered
from agentctx.learn.case import Step
from agentctx.options import Rules
from agentctx.values import Observation
from agentctx.wire import of
from tests.evolve.sessions import CHECKS, output, see, session
from tests.learn.outputs import PASSED


def turn(name: str, command: str, result: str) -> list[dict[str, Any]]:
    """Return a call and its result as OpenAI's chat has them."""
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    calls = [{"id": name, "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": f"I run {command}", "tool_calls": calls},
        {"role": "tool", "tool_call_id": name, "content": result},
    ]


def payload(*turns: list[dict[str, Any]]) -> dict[str, Any]:
    opening = [{"role": "user", "content": "Mend suite.part5.Case"}]
    return {"model": "m", "messages": [*opening, *(m for turn in turns for m in turn)]}


def trail(*turns: list[dict[str, Any]]) -> Trail:
    request = payload(*turns)
    return of_slots(of(request).read(request))


def test_a_request_is_a_trail_of_what_was_said_done_and_seen() -> None:
    found = trail(turn("a", CHECKS, output(1)), turn("b", "sed -n 1,9p x.py", "x"))
    assert found.opening == ("Mend suite.part5.Case",)
    first, second, last = found.steps
    assert first.observation == Observation(output=output(1), command=CHECKS, tool="bash")
    assert "I run sed -n 1,9p x.py" in second.said
    assert last == Step(said="")


def test_what_was_used_of_an_output_is_remembered_with_it(tmp_path: Path) -> None:
    stores = session(tmp_path, "a").stores
    found = trail(turn("a", CHECKS, output(1)), turn("b", "cat suite.part3.Case", "x"))
    assert remember(found, "task", stores) == 1
    [case] = remembered(stores)
    assert case.observation.output == output(1)
    assert case.observation.command == CHECKS
    assert case.task == "task"
    assert case.used == ("suite.part3.Case",)  # part5 was known before


def test_what_shows_data_and_what_is_short_teaches_nothing(tmp_path: Path) -> None:
    stores = session(tmp_path, "a").stores
    short = "x" * (LEAST - 1)
    found = trail(turn("a", "cat log", output(1)), turn("b", CHECKS, short))
    assert remember(found, "task", stores) == 0


def test_what_was_remembered_is_looked_at_again_only_where_more_may_be_used(tmp_path: Path) -> None:
    stores = session(tmp_path, "a").stores
    found = trail(*(turn(f"c{n}", CHECKS, f"{output(n)}\n{n}") for n in range(20)))
    assert remember(found, "task", stores, since=12) == 20 - 12 + 5


def test_secrets_are_not_remembered(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    stores = session(tmp_path, "a").stores
    found = trail(
        turn("a", f"{CHECKS} {secret}", f"{output(1)}\n{secret}"), turn("b", f"use {secret}", "x")
    )
    remember(found, "task", stores)
    [case] = remembered(stores)
    assert secret not in f"{case}"
    assert case.used == ()


def test_of_a_host_that_sends_back_what_it_was_shown_the_original_is_remembered(
    tmp_path: Path,
) -> None:
    one = session(tmp_path, "a", Rules.ON)
    lines = [f"tests/test_a.py::test_{i} PASSED [ 9%]" for i in range(60)]
    whole = "\n".join(["collected 60 items", *lines, "60 passed"])
    shown = one.observe(Observation(output=whole, command="pytest -v")).text
    assert lines[7] not in shown
    remember(trail(turn("a", "pytest -v", shown)), "task", one.stores)
    [case] = remembered(one.stores)
    assert case.observation.output == whole


def test_what_the_archive_gave_up_is_gone(tmp_path: Path) -> None:
    one = session(tmp_path, "a")
    remember(trail(turn("a", CHECKS, output(1))), "task", one.stores)
    for path in (tmp_path / "data" / "archive").rglob("*"):
        if path.is_file():
            path.unlink()
    assert list(remembered(one.stores)) == []


def test_sessions_learn_from_requests_as_from_results(tmp_path: Path) -> None:
    for number in range(20):
        with session(tmp_path, f"t{number}") as one:
            one.rewrite(payload(turn("a", CHECKS, output(number)), turn("b", "git commit", "done")))
        one.learner.wait()
    assert PASSED[3] not in see(session(tmp_path, "next"), 20)
