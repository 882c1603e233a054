"""Write a drawn conversation as a request of each wire, with the variety that hosts show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tests.rendering import anthropic, openai_chat, openai_responses

if TYPE_CHECKING:
    from agentctx.values import Payload
    from tests.strategies import Conversation, Turn

RENDER: dict[str, Callable[[Conversation, Sequence[Turn]], Payload]] = {
    "anthropic": anthropic.render,
    "openai_chat": openai_chat.render,
    "openai_responses": openai_responses.render,
}
