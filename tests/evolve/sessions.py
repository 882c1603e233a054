"""Sessions whose agents run checks, look at what they print, and come back for it or not."""

from __future__ import annotations

from pathlib import Path

from agentctx.config import Settings
from agentctx.options import Rules
from agentctx.pool import Pool, opened
from agentctx.session import Session
from agentctx.terminal.marker import handles
from agentctx.values import Observation, ToolCall
from tests.learn.outputs import END, FAILED, PASSED

CHECKS = "runchecks --all"
WAY = "expand {handle}"


def settings(folder: Path, rules: Rules = Rules.EVOLVE) -> Settings:
    """Return settings with a data folder and a pool of their own."""
    return Settings(data=folder / "data", rules=rules, pool_url=str(folder / "pool.db"))


def pool(folder: Path) -> Pool:
    """Return the pool of these settings."""
    return opened(folder / "pool.db")


def session(folder: Path, name: str, rules: Rules = Rules.EVOLVE) -> Session:
    """Return a session that shows how its reader gets hidden lines back."""
    return Session(name, settings=settings(folder, rules), expand_hint=WAY)


def output(number: int) -> str:
    """Return what the checks print to task `number`: in every fifth, something fails."""
    return "\n".join(["starting", *PASSED, *([FAILED] if number % 5 == 0 else []), END])


def see(one: Session, number: int, command: str = CHECKS) -> str:
    """Return what an agent sees of its checks."""
    return one.observe(Observation(output=output(number), command=command)).text


def expand(one: Session, text: str, **arguments: str) -> str:
    """Return what an agent gets when it asks for what a marker hides."""
    given = {"handle": handles(text)[0], **arguments}
    return str(one.handle(ToolCall(id="e", name="expand", arguments=given)))


def live(folder: Path, tasks: range) -> None:
    """Let agents work on tasks, one session each, and rules evolve from it."""
    for number in tasks:
        with session(folder, f"task-{number}") as one:
            see(one, number)
            one.observe(Observation(output="done", command="git commit -am done"))
        one.learner.wait()
