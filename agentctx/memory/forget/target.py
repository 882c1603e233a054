"""What is to be forgotten."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from agentctx.errors import MemoryStoreError
from agentctx.memory import names, texts
from agentctx.memory.records import Branch, Commit, Done, Step, StepKind
from agentctx.memory.store.nodes import TRAILERS
from agentctx.patterns import Pattern, compiled

MARK = "(forgotten)"

_SHORTEST = 3
_COPY = 8
"""Characters from which on a text of a forgotten record is looked for in others, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is to be forgotten: all that matches, and records and steps by id or session.

    `literal` says that the pattern is of a text as it stands; `originals` are the content ids of
    what the steps observed.
    """

    pattern: Pattern | None = None
    literal: bool = False
    records: frozenset[str] = frozenset()
    session: str = ""
    originals: frozenset[str] = frozenset()

    def matches(self, text: str) -> bool:
        """Say whether a text holds it."""
        return self.pattern is not None and self.pattern.search(text) is not None

    def without(self, text: str) -> str:
        """Return a text in which a mark stands for it."""
        if self.pattern is None or not text or not self.pattern.search(text):
            return text
        found: str = self.pattern.sub(MARK, text)
        return found

    def takes(self, id: str, session: str) -> bool:
        """Say whether a record or step goes as a whole."""
        return id in self.records or bool(self.session and session == self.session)


def target(
    text: str = "", pattern: str = "", records: Collection[str] = (), session: str = ""
) -> Target:
    """Return what a person asks to be forgotten.

    Args:
        text: as it stands; any space in it stands for any number of blanks and line ends.
        pattern: an RE2 pattern.
        records: ids of records, whose steps go with them.
        session: all records and steps of that session.

    Raises:
        MemoryStoreError: nothing is asked for, or what would match every text or those of our own.
    """
    if bool(text) + bool(pattern) + bool(records) + bool(session) != 1:
        raise MemoryStoreError("say one thing to forget: a text, --pattern, --record or --session")
    return Target(
        pattern=_program(text, pattern) if text or pattern else None,
        literal=bool(text),
        records=frozenset(records),
        session=session,
    )


def strings(value: Any) -> Iterator[str]:
    """Yield every text within JSON values, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield str(key)
            yield from strings(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from strings(one)


def with_copies(wanted: Target, said: Iterable[Commit], steps: Iterable[Step]) -> Target:
    """Return a target that also covers what its records and steps have handed on to others.

    Args:
        wanted: records by id or session.
        said: those records.
        steps: those that go with them.
    """
    import re2

    gone = list(steps)
    ids = {*wanted.records, *(one.id for one in gone)}
    copied = {text for made in said for text in _handed_on(made)}
    fixed = _vocabulary()
    parts = [_loose(text) for text in sorted(copied) if text not in fixed]
    program = re2.compile("|".join(parts)) if parts else None
    return replace(
        wanted,
        pattern=program,
        literal=bool(parts),
        records=frozenset(ids),
        originals=frozenset(one.original for one in gone if one.original),
    )


def _handed_on(made: Commit) -> Iterator[str]:
    lines = made.contribution.split("\n")
    found = [*lines, *made.findings, *made.blockers, made.next_action]
    found += [text for one in made.done for text in (one.text, one.command)]
    yield from (text.strip() for text in found if len(text.strip()) >= _COPY)


def _program(text: str, pattern: str) -> Pattern:
    if text and len("".join(text.split())) < _SHORTEST:
        raise MemoryStoreError(f"{text!r} is too short to forget: give {_SHORTEST} characters")
    try:
        program = compiled(_loose(text) if text else pattern)
    except ValueError as error:
        raise MemoryStoreError(f"--pattern is {error}") from None
    if program.search("") or program.search(_vocabulary()):
        raise MemoryStoreError(
            "that is in every record, as our own words are: say more of what is to be forgotten"
        )
    return program


def _loose(text: str) -> str:
    """Return the pattern of a text, however it is broken into lines."""
    import re2

    return r"\s+".join(map(re2.escape, text.split()))


@cache
def _vocabulary() -> str:
    """Return the words that every record has, whatever it is about."""
    made = Commit(id="", branch="", parents=("",), blockers=("",), findings=("",), sources=("",))
    full = replace(made, done=(Done(text="x", command="y", exit_code=0, commit="z"),))
    said = Step(id="", kind=StepKind.USER, exit_code=0, observation="x", thought="x", action="x")
    return "\n".join(
        [
            MARK,
            texts.write_commit(full),
            texts.write_steps([said]),
            texts.write_branch(Branch(name=names.MAIN, purpose="x")),
            "# Purpose ## Milestones ## To-do - [x] - [ ]",
            " ".join(f"{name}:" for name in TRAILERS),
        ]
    )
