"""Summaries by a model of LiteLLM's: what it is asked, what comes of it, and when it fails."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from agentctx.adapters.litellm_summary import ModelSummariser
from agentctx.config import Settings
from agentctx.errors import AgentctxError
from agentctx.memory.records import Commit, Done
from agentctx.options import Remember
from agentctx.session import Session

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
pytest.importorskip("litellm")
pytestmark = pytest.mark.filterwarnings("ignore")  # LiteLLM's own, when it is imported

RECORD = Commit(
    id="1m8qvg40m6er6jsj",
    branch="main",
    previous="- began",
    contribution="The parser reads lists",
    done=(Done(text="nested lists"),),
    findings=("tabs count as 4",),
)


def test_litellm_writes_the_summary() -> None:
    ask = ModelSummariser(model="gpt-4o-mini", options=(("mock_response", " told by a model\n"),))
    assert ask(RECORD, ()) == "told by a model"


def test_an_empty_answer_is_none() -> None:
    ask = ModelSummariser(model="gpt-4o-mini", options=(("mock_response", " "),))
    with pytest.raises(AgentctxError, match="no summary"):
        ask(RECORD, ())


def test_the_settings_name_the_model_and_a_failure_is_an_event(tmp_path: Path) -> None:
    chosen = Settings(data=tmp_path, memory=Remember.ON, memory_model="nobody/knows-this")
    with Session("run", settings=chosen) as session:
        session.memory.commit("one")
        assert session.memory.commit("two").previous == "- one"
        told = [e for e in session.stores.ledger.events("run") if e.kind == "summary-failed"]
        assert told
        assert told[0].detail["model"] == "nobody/knows-this"
    assert (
        Session("other", settings=replace(chosen, memory_model="")).stores.summariser("x") is None
    )
