"""One recorded agent run, whatever the agent wrote it down as."""

from __future__ import annotations

from dataclasses import dataclass

from agentctx.values import Payload, ToolCall

HOST_PROMPT = 4_096
"""Tokens of a host's own prompt and tool schemas where these were not recorded.

It is the least that Claude Opus caches; the prompts of real coding agents are longer.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A tool's result as the agent saw it.

    `before` and `after` are the host's own words around it in the same message. `cut` says that
    the host had shortened it before it was recorded.
    """

    text: str
    exit_code: int | None = None
    before: str = ""
    after: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What the provider reported for one call, in tokens; `prompt` includes `cached`."""

    prompt: int
    cached: int
    completion: int
    dollars: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One model call and what came of it: a result (`seen`), or a `note` from the host."""

    text: str = ""
    call: ToolCall | None = None
    seen: Seen | None = None
    note: str = ""
    recorded: Recorded | None = None

    @property
    def command(self) -> str:
        """The shell command of this turn, "" for other tools."""
        command = self.call.arguments.get("command") if self.call else None
        return command if isinstance(command, str) else ""

    @property
    def tool(self) -> str:
        """The name of the tool that was called, "" where none was."""
        return self.call.name if self.call else ""

    @property
    def call_id(self) -> str:
        """What names the call, "" where there is none."""
        return self.call.id if self.call else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """A run of one agent on one task; `wire` names the format that its host would send.

    `host_prompt` are the tokens that stand in for a system prompt that was not recorded.
    """

    id: str
    task: str
    agent: str
    source: str
    model: str
    wire: str
    opening: tuple[Payload, ...]
    host_prompt: int = 0
    turns: tuple[Turn, ...] = ()

    @property
    def native(self) -> bool:
        """Whether its host has native tools; the results of one without are user messages."""
        return self.wire == "anthropic"
