"""A LangChain agent that mends a small project. Its model is scripted, so no key is needed.

    pip install 'agentctx-middleware[langchain]'
    python examples/langchain_agent.py

With a real model, only the first argument of `create_agent` changes: "anthropic:claude-sonnet-4-5".
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.tools import tool
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from agentctx import Session
from agentctx.adapters.langchain import AgentctxMiddleware
from agentctx.terminal.marker import handles, is_marker

TESTS = """\
import unittest
from calc import add

class Add(unittest.TestCase): ...

for n in range(400):
    setattr(Add, f"test_adds_{n}", lambda self, n=n: self.assertEqual(add(n, 1), n + 1))
"""
BUG = "def add(a, b):\n    return a + b if a != 250 else 0\n"


class Scripted(BaseChatModel):
    """Plays the model: each reply is a function of the last message."""

    script: list[Callable[[str], AIMessage]]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Scripted:
        """Take the tools; the script knows them."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        turn = sum(isinstance(message, AIMessage) for message in messages)
        reply = self.script[turn](str(messages[-1].content))
        return ChatResult(generations=[ChatGeneration(message=reply)])


def call(turn: int, name: str, **arguments: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"id": f"call_{turn}", "name": name, "args": arguments}])


def brief(text: str) -> str:
    """Return the first and the last lines of a text, and the markers in between."""
    lines = text.splitlines()
    if len(lines) <= 12:
        return text
    return "\n".join([*lines[:2], "…", *filter(is_marker, lines), "…", *lines[-5:]])


def main(folder: Path) -> None:
    (folder / "calc.py").write_text(BUG)
    (folder / "test_calc.py").write_text(TESTS)

    @tool
    def shell(command: str) -> str:
        """Run a shell command in the project."""
        result = subprocess.run(
            command,
            shell=True,
            check=False,
            cwd=folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return f"{result.stdout}[exit code {result.returncode}]"

    fix = "sed -i.bak 's/ if a != 250 else 0//' calc.py && python3 -m unittest -v"
    model = Scripted(
        script=[
            lambda _: call(1, "shell", command="python3 -m unittest -v"),
            lambda last: call(2, "expand", handle=handles(last)[0], grep="test_adds_250 "),
            lambda _: call(3, "shell", command=fix),
            lambda last: AIMessage(f"Mended: {last.splitlines()[-2]}"),
        ]
    )
    session = Session(data=folder / ".agentctx")
    agent = create_agent(model, tools=[shell], middleware=[AgentctxMiddleware(session)])
    result = agent.invoke({"messages": [HumanMessage("Mend the failing test.")]})

    for message in result["messages"]:
        print(f"--- {message.type}: {brief(str(message.content))}")
        for each in getattr(message, "tool_calls", []):
            print(f"    {each['name']} {each['args']}")
    stats = session.stores.ledger.stats()
    print(f"\nTool results took {stats.tokens_after} tokens instead of {stats.tokens_before}.")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
