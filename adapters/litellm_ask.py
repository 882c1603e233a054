"""One question to any model that LiteLLM reaches, a self-hosted one included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentctx.errors import MissingExtra


def ask(prompt: str, model: str, seconds: float, options: Mapping[str, Any]) -> str:
    """Return what a model says.

    Args:
        prompt: the one message that it gets.
        model: as LiteLLM names it.
        seconds: how long an answer may take.
        options: further arguments of `litellm.completion`, such as `api_base`.

    Raises:
        MissingExtra: LiteLLM is not installed.
    """
    try:
        import litellm
    except ImportError:
        raise MissingExtra("litellm", "litellm") from None
    reply = litellm.completion(
        model=model,
        messages=[{"role": "user", "content": prompt}],
        timeout=seconds,
        drop_params=True,  # some models take no temperature
        **{"temperature": 0, **options},
    )
    return str(reply.choices[0].message.content or "")
