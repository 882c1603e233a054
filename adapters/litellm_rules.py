"""Rules proposed by any model that LiteLLM reaches, a self-hosted one included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentctx.errors import MissingExtra


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
        try:
            import litellm
        except ImportError:
            raise MissingExtra("litellm", "litellm") from None
        reply = litellm.completion(
            model=self.model,
            messages=[{"role": "user", "content": prompt}],
            timeout=self.seconds,
            drop_params=True,  # some models take no temperature
            **{"temperature": 0, **dict(self.options)},
        )
        return str(reply.choices[0].message.content or "")
