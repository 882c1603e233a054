"""What was really said and recorded in a run, noted apart from memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the user's; `answered` once the agent had its last word on it."""

    text: str
    answered: bool = False


@dataclass(slots=True)
class Truth:
    """The user's messages, the plan with what is done of it, and what comes next.

    `doing` is a call whose result has not come.
    """

    said: list[Said] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    recorded: str = ""
    doing: str = ""

    def hear(self, text: str) -> None:
        """Note what the user said."""
        self.said.append(Said(text))

    def answered(self) -> None:
        """Note that the agent had its last word."""
        self.said = [replace(one, answered=True) for one in self.said]

    def commit(self, plan: Sequence[str], done: Sequence[str], next_action: str) -> None:
        """Note a record of the agent's."""
        self.plan, self.recorded = list(plan), next_action
        self.done += done

    def copy(self) -> Truth:
        """Return what a sub-agent knows at first; the calls of others are not its own."""
        return replace(self, said=[*self.said], plan=[*self.plan], done=[*self.done], doing="")

    @property
    def open(self) -> list[str]:
        """The items of the plan that are not done."""
        return [item for item in self.plan if item not in self.done]

    @property
    def next_action(self) -> str:
        """What comes next: a call in flight, what was recorded, or the first open item."""
        return self.doing or self.recorded or next(iter(self.open), "")
