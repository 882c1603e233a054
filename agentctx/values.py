"""The values that flow through agentctx; they know nothing of where they come from or go."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, TypeAlias

Payload: TypeAlias = dict[str, Any]
"""A request body as a provider's SDK sends it."""

Path: TypeAlias = tuple[str | int, ...]
"""Keys and indices that lead from a payload's root to one place in it."""


class Trust(IntEnum):
    """Where a text came from; combining two takes the minimum."""

    UNTRUSTED = 0
    TOOL = 1
    MODEL = 2
    USER = 3
    SYSTEM = 4


class Kind(StrEnum):
    """What a slot holds. Only OBSERVATION may be edited."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL_CALL = "tool_call"
    OBSERVATION = "observation"
    REASONING = "reasoning"
    OPAQUE = "opaque"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One writable place in a provider payload.

    `path` leads to the value that `text` was read from (a string, or a text part). `turn` counts
    the assistant turns that began before or at this slot. `tool` and `arguments` of an OBSERVATION
    are those of the call that it answers.
    """

    path: Path
    kind: Kind
    text: str = ""
    turn: int = 0
    tool: str = ""
    call_id: str = ""
    arguments: Mapping[str, Any] | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A part of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A part of pixels."""

    data: bytes
    media_type: str = "image/png"


@dataclass(frozen=True, slots=True)
class Edit:
    """New parts for the place at `path`."""

    path: Path
    parts: tuple[Text | Image, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule of the provider that a payload breaks."""

    rule: str
    path: Path
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that the model made."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What a tool returned, as the host received it."""

    output: str
    command: str = ""
    exit_code: int | None = None
    tool: str = ""
    trust: Trust = Trust.TOOL


@dataclass(frozen=True, slots=True)
class Span:
    """The lines `first` to `last` of the original (1-based, inclusive) behind one output line.

    `hidden` says why they are not shown ("" for a line that is). `source` names the earlier
    observations that show them, each as "content id of what the model sees@results back".
    """

    first: int
    last: int
    hidden: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """What the model sees instead of an observation, one span for each line of `text`.

    `handle` is "" when nothing was hidden and the original stands as it was.
    """

    text: str
    handle: str = ""
    spans: tuple[Span, ...] = ()
    rules: tuple[str, ...] = ()
    tokens_before: int = 0
    tokens_after: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one model call as the provider reported them.

    `input` counts the fresh tokens only: those neither read from nor written to a cache.
    """

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    output: int = 0

    @property
    def prompt(self) -> int:
        """All tokens of the request."""
        return self.input + self.cache_read + self.cache_write + self.cache_write_1h


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool that the model may call; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


def content_id(data: str | bytes) -> str:
    """Return the 64 hex digits that name these bytes (BLAKE2b-256; lone surrogates survive)."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.blake2b(raw, digest_size=32).hexdigest()
