"""The cursor that walks a history and gathers its slots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from agentctx.values import Kind, Path, Slot
from agentctx.wire.views import label, part_text, string


class Answer(NamedTuple):
    """The call that an observation answers."""

    tool: str = ""
    call_id: str = ""
    arguments: Mapping[str, Any] | None = None
    is_error: bool = False


NO_ANSWER = Answer()


@dataclass(slots=True)
class Cursor:
    """Where a reader stands: the slots so far, the turn, and the calls that may be answered."""

    slots: list[Slot] = field(default_factory=list)
    calls: dict[str, Answer] = field(default_factory=dict)
    turn: int = 0
    speaking: bool = False

    def enter(self, *, assistant: bool) -> None:
        """Step into the next message; an assistant's opens a turn unless it goes on with one."""
        if assistant and not self.speaking:
            self.turn += 1
        self.speaking = assistant

    def add(self, path: Path, kind: Kind, text: str, answer: Answer = NO_ANSWER) -> None:
        """Add a slot of the current turn."""
        self.slots.append(
            Slot(
                path=path,
                kind=kind,
                text=text,
                turn=self.turn,
                tool=answer.tool,
                call_id=answer.call_id,
                arguments=answer.arguments,
                is_error=answer.is_error,
            )
        )

    def call(self, path: Path, text: str, answer: Answer) -> None:
        """Add a call of the model's, and keep it for the observation that answers it."""
        if answer.call_id:
            self.calls[answer.call_id] = answer
        self.add(path, Kind.TOOL_CALL, text, answer)

    def answer(self, call_id: Any, *, is_error: bool = False) -> Answer:
        """Return the call with that id, or one that knows only the id."""
        found = self.calls.get(string(call_id)) or Answer(call_id=string(call_id))
        return found._replace(is_error=True) if is_error else found

    def opaque(self, path: Path, value: Any, answer: Answer = NO_ANSWER) -> None:
        """Add what cannot be read, named by its label."""
        self.add(path, Kind.OPAQUE, label(value), answer)

    def content(
        self,
        path: Path,
        content: Any,
        kind: Kind,
        answer: Answer = NO_ANSWER,
        *,
        types: frozenset[str],
        editable: bool = True,
    ) -> None:
        """Add one slot for a string, or one for each part of a list.

        Args:
            path: Where `content` stands.
            content: A string, a list of parts, or anything else, which is opaque.
            kind: What its texts are.
            answer: The call that they answer.
            types: The part types that hold text.
            editable: False inside an object of the caller's SDK, which is never edited.
        """
        if content is None or content == []:
            if kind is Kind.OBSERVATION:  # the model counts it among the results
                self.add(path, Kind.OPAQUE, "", answer)
        elif isinstance(content, str):
            self.add(path, fixed(kind, editable=editable), content, answer)
        elif isinstance(content, (list, tuple)):
            for index, part in enumerate(content):
                text = part_text(part, types)
                if text is None:
                    self.opaque((*path, index), part, answer)
                else:
                    stays = editable and isinstance(part, dict)
                    self.add((*path, index), fixed(kind, editable=stays), text, answer)
        else:
            self.opaque(path, content, answer)


def fixed(kind: Kind, *, editable: bool) -> Kind:
    """Return `kind`, but OPAQUE for an observation that cannot be edited."""
    return Kind.OPAQUE if kind is Kind.OBSERVATION and not editable else kind
