from __future__ import annotations

from pathlib import Path

from agentctx import Session
from agentctx.terminal.marker import handles
from tests.adapters.scripted import log
from tests.processes import run, start

RUN = """
import json, os, sys
from langchain.agents import create_agent
from langchain.tools import tool
from langchain_core.messages import AIMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from agentctx import Session
from agentctx.adapters.langchain import AgentctxMiddleware
from agentctx.config import Settings
from tests.adapters.scripted import Scripted, call, calls, log

folder, die_at = sys.argv[1], int(sys.argv[2])

@tool
def build(command: str) -> str:
    "Build something."
    with open(folder + "/ran", "a") as file:
        file.write(command + "\\n")
    return log(command.split()[-1])

class Mortal(Scripted):
    def _generate(self, messages, *args, **options):
        if sum(isinstance(each, AIMessage) for each in messages) == die_at:
            os._exit(9)
        return super()._generate(messages, *args, **options)

script = [calls(call(str(n), "build", command="make a")) for n in (1, 2, 3)]
model = Mortal(script=[*script, AIMessage("done")])
middleware = AgentctxMiddleware(Session(data=folder + "/data", settings=Settings()))
with SqliteSaver.from_conn_string(folder + "/state.db") as saver:
    agent = create_agent(model, [build], middleware=[middleware], checkpointer=saver)
    config = {"configurable": {"thread_id": "t"}}
    known = agent.get_state(config).values
    agent.invoke(None if known else {"messages": [("user", "go")]}, config, durability="sync")
    values = agent.get_state(config).values
    shown = [each.content for each in values["messages"] if each.type == "tool"]
    first = [each.content for each in model.requests[0] if each.type == "tool"]
    print(json.dumps({"name": values["_agentctx"], "shown": shown, "first": first}))
"""


def test_a_killed_run_goes_on_in_a_new_process_with_the_same_bytes(tmp_path: Path) -> None:
    killed = start(RUN, tmp_path, 2)
    killed.communicate(timeout=600)
    assert killed.returncode == 9
    stores = Session(data=tmp_path / "data").stores
    assert stores.ledger.stats().observations == 2
    resumed = run(RUN, tmp_path, -1)
    decided = [decision.text for decision in stores.ledger.decisions(resumed["name"])]

    assert (tmp_path / "ran").read_text() == "make a\n" * 3
    assert resumed["first"] == decided[:2]
    assert resumed["shown"] == decided
    assert "shown 2 results back" in resumed["shown"][2]
    assert stores.ledger.stats().sessions == 1
    for text in resumed["shown"]:
        raw = stores.archive.read(stores.resolve(handles(text)[0]))
        assert raw == log("a").encode()


def test_the_core_does_not_load_langchain() -> None:
    script = """
    import json, sys
    import agentctx.session, agentctx.adapters, agentctx.cli
    print(json.dumps([name for name in sys.modules if name.split(".")[0].startswith("lang")]))
    """
    assert run(script) == []


def test_without_langchain_the_adapter_says_what_to_install() -> None:
    script = """
    import json, sys
    sys.modules["langchain"] = None
    try:
        import agentctx.adapters.langchain
    except Exception as error:
        print(json.dumps([type(error).__name__, str(error)]))
    """
    kind, message = run(script)
    assert kind == "MissingExtra"
    assert message == "'langchain' is not installed: pip install 'agentctx-middleware[langchain]'"
