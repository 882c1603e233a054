from __future__ import annotations

import copy
import os
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agentctx import Session
from agentctx.config import Settings
from agentctx.terminal.marker import handles

os.environ["MSWEA_SILENT_STARTUP"] = "1"  # read when the package is imported
os.environ.setdefault("MSWEA_GLOBAL_CONFIG_DIR", f"{tempfile.gettempdir()}/mswea-of-tests")

from minisweagent.agents.default import DefaultAgent
from minisweagent.environments import get_environment
from minisweagent.environments.local import LocalEnvironment
from minisweagent.exceptions import Submitted
from minisweagent.models.test_models import DeterministicModel, DeterministicToolcallModel

from agentctx.adapters.mini_swe_agent import (
    INSTRUCTIONS,
    OBSERVATION_TEMPLATE,
    AgentctxEnvironment,
)

LONG = "make() { seq -f '[%g] compiling' 9000; }; make"
TEXT = "".join(f"[{n}] compiling\n" for n in range(1, 9001))
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def wrapped(folder: Path, **options: Any) -> AgentctxEnvironment:
    session = Session(data=folder / "data", settings=Settings())
    inner = LocalEnvironment(cwd=str(folder), env={"WIDGET_TOKEN": "w1dg3t-9f8e7d6c5b4a"})
    return AgentctxEnvironment(inner, **{"session": session, "shown": None, **options})


def run(env: AgentctxEnvironment, command: str, **action: Any) -> dict[str, Any]:
    return env.execute({"command": command, **action})


class Asked(DeterministicModel):
    """Runs commands, each a function of the messages, and keeps what it was asked."""

    def __init__(self, *script: str | Callable[[str], str]) -> None:
        super().__init__(outputs=[], observation_template=OBSERVATION_TEMPLATE)
        self.script: Iterator[Any] = iter(script)
        self.requests: list[list[dict[str, Any]]] = []

    def query(self, messages: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
        self.requests.append(copy.deepcopy(messages))
        line = next(self.script)
        command = line if isinstance(line, str) else line(messages[-1]["content"])
        return {
            "role": "assistant",
            "content": command,
            "extra": {"actions": [{"command": command}]},
        }


def agent(model: Any, env: AgentctxEnvironment) -> DefaultAgent:
    return DefaultAgent(
        model, env, system_template="{{ agentctx }}", instance_template="{{ task }}"
    )


def test_a_whole_run_expands_submits_and_never_moves_its_prefix(tmp_path: Path) -> None:
    env = wrapped(tmp_path)
    expand = "agentctx expand {} --lines 4000:4001"
    model = Asked(LONG, lambda last: expand.format(handles(last)[0]), LONG, SUBMIT + "; echo bye")
    outcome = agent(model, env).run("go")
    assert outcome == {"exit_status": "Submitted", "submission": "bye\n"}
    requests = model.requests
    for sooner, later in pairwise(requests):
        assert later[: len(sooner)] == sooner
    assert requests[0][0]["content"] == INSTRUCTIONS
    assert "\n[4000] compiling\n[4001] compiling\n" in requests[2][-1]["content"]
    assert "shown 2 results back" in requests[3][-1]["content"]
    assert env.tokens_after < env.tokens_before / 2


def test_the_original_is_in_the_archive_byte_for_byte(tmp_path: Path) -> None:
    env = wrapped(tmp_path)
    result = run(env, LONG)
    stores = env.session.stores
    assert stores.archive.read(stores.resolve(handles(result["output"])[0])) == TEXT.encode()
    assert f"agentctx expand {handles(result['output'])[0]}]" in result["output"]


@pytest.mark.parametrize(
    "command",
    ["true", "exit 3", f"{LONG}; exit 3", "echo short", "printf 'a\\377b'", "sleep 9", "nonesuch"],
)
def test_everything_but_the_output_is_that_of_the_inner_environment(
    tmp_path: Path, command: str
) -> None:
    env = wrapped(tmp_path)
    env.config.timeout = 1
    ours, theirs = run(env, command), env.inner.execute({"command": command})
    assert {**ours, "output": ""} == {**theirs, "output": ""}
    assert len(ours["output"]) <= len(theirs["output"])


def test_the_submission_passes_untouched(tmp_path: Path) -> None:
    with pytest.raises(Submitted) as caught:
        run(wrapped(tmp_path), f"{SUBMIT}; {LONG}")
    assert caught.value.messages[0]["content"] == TEXT


def test_expand_does_not_reach_the_inner_environment(tmp_path: Path) -> None:
    class Closed:
        config = None

        def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
            raise AssertionError(action)

    handle = handles(run(wrapped(tmp_path), LONG)["output"])[0]
    env = wrapped(tmp_path)
    env.inner = Closed()
    answer = run(env, f"cd /x && agentctx expand {handle} --grep 'g?[89]000] '")
    assert answer == {
        "output": "8000:[8000] compiling\n9000:[9000] compiling\n",
        "returncode": 0,
        "exception_info": "",
    }
    assert run(env, "agentctx expand beef00")["returncode"] == 1
    assert run(env, f"agentctx expand {handle} | tail")["returncode"] == 1


def test_parallel_calls_of_one_step_follow_each_other(tmp_path: Path) -> None:
    env = wrapped(tmp_path)
    actions = [{"command": LONG, "tool_call_id": name} for name in ("a", "b")]
    submit = [{"command": SUBMIT, "tool_call_id": "c"}]
    outputs = [
        {"role": "assistant", "content": "", "extra": {"actions": each}}
        for each in (actions, submit)
    ]
    model = DeterministicToolcallModel(outputs=outputs, observation_template=OBSERVATION_TEMPLATE)
    done = agent(model, env)
    assert done.run("go")["exit_status"] == "Submitted"
    tools = [each for each in done.messages if each["role"] == "tool"]
    assert [each["tool_call_id"] for each in tools] == ["a", "b"]
    assert "shown in the last result" in tools[1]["content"]


def test_an_output_that_the_template_cuts_is_not_referred_to(tmp_path: Path) -> None:
    assert "shown" in [run(env := wrapped(tmp_path), LONG), run(env, LONG)][1]["output"]
    env = wrapped(tmp_path, shown=1_000)
    assert "shown" not in [run(env, LONG), run(env, LONG)][1]["output"]


def test_a_second_run_in_the_same_session_does_not_refer_to_the_first(tmp_path: Path) -> None:
    session = Session("mine", data=tmp_path / "data", settings=Settings())
    first = wrapped(tmp_path, session=session)
    outputs = [run(first, LONG, tool_call_id=name)["output"] for name in ("a", "b")]
    assert "shown" in outputs[1]
    second = wrapped(tmp_path, session=session)
    assert run(second, LONG, tool_call_id="b")["output"].count("shown") == 0
    assert second.session.name == "mine"


def test_what_an_interrupted_step_returned_is_not_referred_to(tmp_path: Path) -> None:
    env = wrapped(tmp_path)
    run(env, LONG)
    with pytest.raises(Submitted):
        run(env, SUBMIT)
    assert "shown" not in run(env, LONG)["output"]


def test_template_variables_hold_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-proj-1234567890abcdefghij")
    monkeypatch.setenv("NOTE", "key is sk-proj-1234567890abcdefghij")
    env = wrapped(tmp_path)
    found = env.get_template_vars(task="go")
    assert found["system"]
    assert found["task"] == "go"
    assert found["agentctx"] == INSTRUCTIONS
    assert "1234567890abcdefghij" not in str(found)
    assert "w1dg3t" not in str(found)


def test_secrets_of_the_inner_environment_are_hidden_from_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTCTX_DATA", str(tmp_path / "data"))
    env = wrapped(tmp_path, session=None)
    assert "w1dg3t" not in run(env, "echo $WIDGET_TOKEN")["output"]


def test_the_command_line_can_name_it_as_environment_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTCTX_DATA", str(tmp_path / "data"))
    dotted = f"{AgentctxEnvironment.__module__}.{AgentctxEnvironment.__name__}"
    env: Any = get_environment(
        {"environment_class": dotted, "cwd": str(tmp_path), "env": {"A": "b"}}
    )
    assert isinstance(env.inner, LocalEnvironment)
    assert env.config.cwd == str(tmp_path)
    assert env.execute({"command": "pwd; echo $A"})["output"] == f"{tmp_path}\nb\n"
    info = env.serialize()["info"]
    assert info["config"]["environment_type"].endswith("LocalEnvironment")
    assert info["agentctx"]["session"] == env.session.name


def test_other_attributes_are_those_of_the_inner_environment(tmp_path: Path) -> None:
    env = wrapped(tmp_path)
    assert env.config is env.inner.config
    with pytest.raises(AttributeError, match="nonesuch"):
        _ = env.nonesuch
    assert copy.copy(env).config is env.inner.config
