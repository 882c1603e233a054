"""mini-swe-agent 2.x: an environment around any other, whose outputs are reduced as they arrive.

What the agent stores, and so sends in every later request, is the reduced text; the original lies in
the archive. `agentctx expand HANDLE` is answered here, so it needs nothing in a container.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from agentctx import config as configuration
from agentctx.adapters.shell import HINT, USAGE, asked
from agentctx.errors import MissingExtra
from agentctx.secrets import default
from agentctx.secrets.environment import names_secret
from agentctx.session import Session
from agentctx.values import Observation, ToolCall

if TYPE_CHECKING:
    from minisweagent import Environment

INSTRUCTIONS = f"""\
Long command outputs are shortened: a line like
[agentctx: 214 of 260 lines hidden (middle) · lines 40-253 · agentctx expand a1b2c3]
stands for the hidden lines. If you need them, run `{USAGE}`, alone and without pipes."""
"""For the system prompt; templates get it as `{{{{ agentctx }}}}`. The markers say the essential."""

OBSERVATION_TEMPLATE = """\
{%- if output.exception_info %}<exception>{{ output.exception_info }}</exception>
{% endif -%}
<returncode>{{ output.returncode }}</returncode>
<output>
{{ output.output }}</output>"""
"""For `observation_template` of the model: those of mini-swe-agent cut the middle out of a long
output, and a marker may stand there."""

_TOOL = "bash"


class AgentctxEnvironment:
    """Runs commands in an environment, and shows the agent a reduced form of long outputs.

    Return codes, exceptions and the submission pass untouched, and every other attribute is that
    of the inner environment. Make one for each run.
    """

    def __init__(
        self,
        inner: Environment | None = None,
        *,
        session: Session | None = None,
        shown: int | None = 10_000,
        inner_class: str = "local",
        **config: Any,
    ) -> None:
        """Wrap an environment, or make the one to wrap, as from the configuration of `mini`.

        Args:
            inner: where commands run.
            session: brings settings, data folder, redactor and name.
            shown: the characters from which the agent's observation template cuts an output, so
                that later outputs never refer to it; None for `OBSERVATION_TEMPLATE`.
            inner_class: the class of the environment to make when there is no `inner`.
            config: the configuration of that environment.

        Raises:
            ConfigError: the settings cannot be used.
            MissingExtra: mini-swe-agent is not installed.
        """
        self.inner: Any = inner or _made(inner_class, config)
        self._run = f"mini-{uuid4().hex[:12]}"
        base = session or _session(self.inner)
        self.session = base.named(base.name or self._run, expand_hint=HINT)
        self._shown = shown
        self._live: list[str] = []
        self._number = 0
        self.tokens_before = self.tokens_after = 0

    def __getattr__(self, name: str) -> Any:
        """Return what the inner environment has of that name."""
        if name == "inner":  # not there yet: while being copied or unpickled
            raise AttributeError(name)
        return getattr(self.inner, name)

    def execute(self, action: dict[str, Any], cwd: str = "", **options: Any) -> dict[str, Any]:
        """Run a command, and return its result with the output that the agent is to see.

        Raises:
            RedactionError: secrets could not be removed from the output.
        """
        command = str(action.get("command", ""))
        if (wish := asked(command)) is not None:
            self._live.append("")
            return self._answer(wish)
        try:
            result: dict[str, Any] = self.inner.execute(action, cwd, **options)
        except BaseException:  # the agent may drop results of this step that it was given before
            self._live.clear()
            raise
        output = result.get("output")
        if not isinstance(output, str):
            self._live.append("")
            return result
        return {**result, "output": self._seen(action, command, output, result)}

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        """Return those of the inner environment without credentials, and `agentctx`."""
        found = self._clean(self.inner.get_template_vars(**kwargs))
        return {**found, "agentctx": INSTRUCTIONS}

    def serialize(self) -> dict[str, Any]:
        """Return what the inner environment stores, and what was saved."""
        found = self.inner.serialize()
        saved = {
            "session": self.session.name,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
        }
        return {**found, "info": {**found.get("info", {}), "agentctx": saved}}

    def _seen(
        self, action: Mapping[str, Any], command: str, output: str, result: Mapping[str, Any]
    ) -> str:
        self._number += 1
        call_id = str(action.get("tool_call_id") or f"{self._run}-{self._number}")
        code = result.get("returncode")
        reduction = self.session.observe(
            Observation(
                output=output,
                command=command,
                exit_code=code if isinstance(code, int) else None,
                tool=_TOOL,
            ),
            call_id=call_id,
            live=self._live,
        )
        cut = self._shown is not None and len(reduction.text) >= self._shown
        self._live.append("" if cut else call_id)
        self.tokens_before += reduction.tokens_before
        self.tokens_after += reduction.tokens_after
        return reduction.text

    def _answer(self, wish: ToolCall | str) -> dict[str, Any]:
        answer = wish if isinstance(wish, str) else self.session.handle(wish) or ""
        failed = answer.startswith("error: ") and "\n" not in answer
        return {"output": answer, "returncode": int(failed), "exception_info": ""}

    def _clean(self, value: Any) -> Any:
        """Return a value without the secrets that it holds or names."""
        if isinstance(value, str):
            return self.session.stores.redactor.redact(value)
        if isinstance(value, Mapping):
            return {k: self._clean(v) for k, v in value.items() if not names_secret(str(k))}
        if isinstance(value, list | tuple):
            return type(value)(self._clean(each) for each in value)
        return value


def _made(name: str, config: Mapping[str, Any]) -> Environment:
    try:
        from minisweagent.environments import get_environment
    except ImportError as error:
        raise MissingExtra("mini-swe-agent", "evals") from error
    return get_environment({**config, "environment_class": name})


def _session(inner: Any) -> Session:
    """Return a session that knows the secrets of the inner environment too, by value."""
    settings = configuration.load()
    env = getattr(getattr(inner, "config", None), "env", None) or {}
    return Session(settings=settings, redactor=default(settings.open_data(), {**os.environ, **env}))
