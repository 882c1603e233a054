"""Rules proposed through LiteLLM by a server: what becomes of them, and what when it fails."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentctx.adapters.litellm_rules import ModelProposer
from agentctx.errors import MissingExtra
from agentctx.evolve.evolution import Evolution, Step
from agentctx.learn.case import Case
from agentctx.learn.lesson import learn
from agentctx.session import Session
from agentctx.stores import Stores
from agentctx.terminal.rules import pack
from agentctx.testing import FakeUpstream, Fault, ScriptedModel
from agentctx.values import Observation
from tests.cli.run import AGENTCTX, environment, run
from tests.evals.runs import vorflux
from tests.evolve.sessions import WAY, pool, settings
from tests.learn import outputs
from tests.learn.proposals import COMMAND, ERROR, GOOD, NEEDED, history

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
litellm = pytest.importorskip("litellm")
pytestmark = pytest.mark.filterwarnings("ignore")  # LiteLLM's own, when it is imported

MODEL = "openai/scripted"
BAD = {"rule_id": "all", "summary_header": "all", "strip_patterns": ["^(?:fetched|wrote) "]}
SAID = json.dumps({"rules": [GOOD, BAD]})


def at(upstream: FakeUpstream) -> dict[str, str]:
    """Return what leads LiteLLM to a server."""
    return {"OPENAI_API_BASE": f"{upstream.url}/v1", "OPENAI_API_KEY": "none"}


def asked(upstream: FakeUpstream) -> list[str]:
    """Return the prompts that a server got."""
    return [body["messages"][0]["content"] for body in upstream.bodies]


def runs(folder: Path, cases: list[Case]) -> str:
    """Write cases as recorded runs whose agents use what they used, and return where."""
    path = folder / "runs.jsonl"
    lines = (
        json.dumps(
            vorflux(
                (case.observation.command, case.observation.output),
                (f"python edit.py {' '.join(case.used)}", "done"),
                task=case.task,
                run=str(number),
            )
        )
        for number, case in enumerate(cases)
    )
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def learnt(folder: Path, *args: str, **env: str) -> dict[str, Any]:
    """Return what `agentctx rules learn` says of recorded runs: what is mined, what is proposed."""
    data = runs(folder, [*history(), *outputs.history()])
    argv = [*AGENTCTX, "rules", "learn", data, "--json", *args]
    done = run(argv, folder, env=environment(folder, **env))
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_server_is_asked_for_the_model_that_is_named() -> None:
    said = ScriptedModel(SAID, Fault(400, "no such\nmodel"))
    with FakeUpstream(said) as upstream:
        options = (("api_base", f"{upstream.url}/v1"), ("api_key", "none"))
        ask = ModelProposer(model=MODEL, options=options)
        good, bad = learn(history(), ask=ask)
        assert (good.why, good.rule.rule_id) == ("", "proposed.steps")
        assert "strings that were used" in bad.why
        assert upstream.bodies[0]["model"] == "scripted"
        [lesson] = learn(history(), ask=ask)
        assert lesson.why.startswith("openai/scripted did not answer: ")
        assert "\n" not in lesson.why


def test_without_litellm_what_is_mined_is_learnt_and_the_remedy_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    ask = ModelProposer(model=MODEL)
    with pytest.raises(MissingExtra):
        ask("hello")
    mined, failed = learn([*outputs.history(), *history()], ask=ask)
    assert (mined.rule.rule_id, mined.why) == ("learnt.runchecks", "")
    assert "pip install 'agentctx-middleware[litellm]'" in failed.why


def test_a_failing_call_prints_nothing_and_leaves_litellm_as_it_was(
    capfd: pytest.CaptureFixture[str],
) -> None:
    ask = ModelProposer(model="nobody/knows-this")
    with pytest.raises(litellm.BadRequestError):
        ask("hello")
    assert capfd.readouterr().out == ""
    assert litellm.suppress_debug_info is False


def test_the_command_learns_what_is_mined_and_what_a_model_proposes(tmp_path: Path) -> None:
    with FakeUpstream(ScriptedModel(SAID)) as upstream:
        out = ("--model", MODEL, "--out", "learnt.toml")
        found = learnt(tmp_path, *out, **at(upstream))
        [prompt] = asked(upstream)
    assert {lesson["rule"]["rule_id"]: not lesson["why"] for lesson in found["lessons"]} == {
        "learnt.runchecks": True,
        "proposed.steps": True,
        "proposed.all": False,
    }
    assert f"command='{COMMAND}'" in prompt
    assert "runchecks" not in prompt
    rules = pack.load(tmp_path / "learnt.toml")
    assert [rule.rule_id for rule in rules] == ["learnt.runchecks", "proposed.steps"]
    assert rules[1].provenance == f"proposed by {MODEL} from 2 outputs of fetchall"


def test_the_command_takes_the_model_of_the_settings_and_mines_if_it_fails(tmp_path: Path) -> None:
    found = learnt(tmp_path, AGENTCTX_POOL_MODEL="nobody/knows-this")
    mined, failed = found["lessons"]
    assert (mined["rule"]["rule_id"], mined["why"]) == ("learnt.runchecks", "")
    assert failed["why"].startswith("nobody/knows-this did not answer: ")


def work(folder: Path) -> None:
    """Let agents of many tasks fetch, and use what was written."""
    for one in history():
        with Session(one.task, settings=settings(folder), expand_hint=WAY) as session:
            session.observe(one.observation)
            command = f"python edit.py {' '.join(one.used)}"
            session.observe(Observation(output="done", command=command))
        session.learner.wait()


def evolved(folder: Path, model: str) -> tuple[Step, ...]:
    """Let rules evolve from what sessions saw, with a model."""
    chosen = replace(settings(folder), pool_model=model)
    return Evolution(Stores(chosen), pool(folder)).run()


def test_what_a_model_proposes_for_what_sessions_saw_is_used_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work(tmp_path)
    assert pool(tmp_path).entries() == ()
    with FakeUpstream(ScriptedModel(SAID)) as upstream:
        for name, value in at(upstream).items():
            monkeypatch.setenv(name, value)
        steps = evolved(tmp_path, MODEL)
    assert {step.rule_id: step.became for step in steps} == {
        "proposed.steps": "active",
        "proposed.all": "refused",
    }
    [entry] = pool(tmp_path).entries()
    assert (entry.rule.works, entry.scope) == (True, "fetchall")
    new = history(31)[30]
    with Session("new", settings=settings(tmp_path), expand_hint=WAY) as session:
        shown = session.observe(new.observation).text
    assert "fetched" not in shown
    assert {ERROR, NEEDED.format(30)} <= set(shown.split("\n"))


def test_rules_evolve_without_the_model_if_it_fails(tmp_path: Path) -> None:
    work(tmp_path)
    [step] = evolved(tmp_path, "nobody/knows-this")
    assert step.became == "refused"
    assert step.why.startswith("nobody/knows-this did not answer: ")
