"""What memory remembers: steps, commits, branches, the roadmap and the user's own words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from agentctx.values import Trust

Metadata: TypeAlias = Mapping[str, Any]
"""One metadata segment: nested mappings, lists and scalars of JSON."""


class StepKind(StrEnum):
    """What a line of the journal holds."""

    STEP = "step"  # observation, thought, action
    CALL = "call"  # an action whose observation has not come yet
    USER = "user"  # a message of the user's, verbatim in `observation`
    ANSWER = "answer"  # the assistant's last word on a request, in `thought`


class CommitKind(StrEnum):
    """Which operation wrote a record; every git commit of a memory holds exactly one."""

    COMMIT = "commit"
    BRANCH = "branch"
    MERGE = "merge"
    ABANDON = "abandon"
    NOTE = "note"  # roadmap or metadata were revised, nothing else


class Outcome(StrEnum):
    """What became of a branch."""

    OPEN = "open"
    SUCCESS = "success"
    PARTIAL = "partial"
    FAILURE = "failure"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One observation-thought-action step.

    `original` is the content id of the observation in the archive, `call_id` names the tool call,
    `branch` the branch on which it was made.
    """

    id: str
    kind: StepKind = StepKind.STEP
    observation: str = ""
    thought: str = ""
    action: str = ""
    exit_code: int | None = None
    trust: Trust = Trust.TOOL
    session: str = ""
    call_id: str = ""
    original: str = ""
    branch: str = ""

    @property
    def call(self) -> str:
        """What a call and its result have in common."""
        return self.call_id or self.action


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Something finished, with its evidence: the command that showed it, its exit status, a commit."""

    text: str
    command: str = ""
    exit_code: int | None = None
    commit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One record: the paper's three blocks, what became of the work, and where it comes from.

    Attributes:
        purpose: block 1, *Branch Purpose*.
        previous: block 2, *Previous Progress Summary*, a bounded fold of the record before.
        contribution: block 3, *This Commit's Contribution*.
        number: how many records stood before it on its branch; it decides where its file lies.
        parents: ids of the records that it follows; two for a merge.
        origin: the branch that was merged, for a merge; "" otherwise.
        sources: ids of steps, and content ids of observations, that it rests on.
        code: hash of the user's code commit that belongs to it.
        steps: how many steps its log slice holds.
        finished: whether it ends the user's request.
        quarantined: whether recall leaves it out until a person has trusted it.
    """

    id: str
    kind: CommitKind = CommitKind.COMMIT
    branch: str
    purpose: str = ""
    previous: str = ""
    contribution: str = ""
    number: int = 0
    parents: tuple[str, ...] = ()
    origin: str = ""
    done: tuple[Done, ...] = ()
    next_action: str = ""
    blockers: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    session: str = ""
    agent: str = ""
    sources: tuple[str, ...] = ()
    code: str = ""
    steps: int = 0
    finished: bool = False
    trust: Trust = Trust.MODEL
    quarantined: bool = False

    @property
    def title(self) -> str:
        """Its first line, at most 72 characters."""
        first = next((line.strip() for line in self.contribution.split("\n") if line.strip()), "")
        return first if len(first) <= 72 else f"{first[:71]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One line of work. `created_from` is the id of the record that it starts from."""

    name: str
    purpose: str = ""
    hypothesis: str = ""
    created_from: str = ""
    parent: str = ""
    session: str = ""
    agent: str = ""
    outcome: Outcome = Outcome.OPEN
    lesson: str = ""
    merged_into: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One milestone or to-do."""

    text: str
    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Roadmap:
    """`main.md`: the purpose, milestones, to-do, and further sections in their order."""

    purpose: str = ""
    milestones: tuple[Item, ...] = ()
    todo: tuple[Item, ...] = ()
    sections: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A message of the user's, verbatim; `answered` once the assistant had its last word on it."""

    id: str
    text: str
    session: str = ""
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Clash:
    """One item that both sides changed differently; None where a side has none."""

    file: str
    item: str
    base: str | None
    ours: str | None
    theirs: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A merge that needs a decision; no ref has moved."""

    branch: str
    into: str
    clashes: tuple[Clash, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What recall answers: a text within its budget, ids for the next level, how to go on.

    `cursor` is "" when there is no more.
    """

    text: str
    level: str
    tokens: int = 0
    cursor: str = ""
    ids: tuple[str, ...] = ()
    trust: Trust = Trust.UNTRUSTED
