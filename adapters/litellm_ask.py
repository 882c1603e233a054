"""One question to any model that LiteLLM reaches, a self-hosted one included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from agentctx.errors import MissingExtra


def ask(prompt: str, model: str, seconds: float, options: Mapping[str, Any]) -> str:
    """Return what a model says; LiteLLM prints nothing meanwhile.

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
    with _silent(litellm):
        reply = litellm.completion(
            model=model,
            messages=[{"role": "user", "content": prompt}],
            timeout=seconds,
            drop_params=True,  # some models take no temperature
            **{"temperature": 0, **options},
        )
    return str(reply.choices[0].message.content or "")


@contextmanager
def _silent(litellm: Any) -> Iterator[None]:
    """Keep the advice that LiteLLM prints when a call fails off stdout, which may be JSON."""
    before, litellm.suppress_debug_info = litellm.suppress_debug_info, True
    try:
        yield
    finally:
        litellm.suppress_debug_info = before
