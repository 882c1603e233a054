"""Rules proposed by any model that LiteLLM reaches, a self-hosted one included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentctx.adapters.litellm_ask import ask


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProposer:
    """Answers the prompt of `agentctx.learn.proposer`.

    Attributes:
        model: as LiteLLM names it.
        seconds: how long an answer may take.
        options: further arguments of `litellm.completion`, such as `api_base`.
    """

    model: str
    seconds: float = 120.0
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, prompt: str, /) -> str:
        """Return what the model says.

        Raises:
            MissingExtra: LiteLLM is not installed.
        """
        return ask(prompt, self.model, self.seconds, dict(self.options))
