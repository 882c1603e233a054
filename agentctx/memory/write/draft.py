"""What a caller asks a record to say, made safe to store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

from agentctx.errors import MemoryStoreError
from agentctx.memory import names, texts
from agentctx.memory.hygiene import safely
from agentctx.memory.records import Done, Metadata
from agentctx.values import Trust

Safe = Callable[[str], str]
"""Takes secrets and what could pose as ours out of a text."""

_LONGEST = 200_000
"""Characters of one text; more belongs into the archive, which a record can name."""

_TOGETHER = 240_000
"""Bytes of all texts of one record: the ones after it, which take some over, have a file limit, too."""

_RECORDED = "contribution done next_action blockers findings purpose code sources".split()
"""The parts of a draft that stand in its record; the others have files of their own."""


class Details(TypedDict, total=False):
    """What a commit may say beside its contribution.

    `done` are texts, or mappings with the fields of `Done`; `milestones`, `todo`, `purpose` and
    `sections` revise `main.md`; `metadata` maps segments to keys to set (None removes a key);
    `next_action` and `blockers` stay those of the record before when they are not given; `code` is a
    hash, "HEAD" for the commit that is checked out, or "WORKTREE" to record the files as they are.
    """

    done: Sequence[str | Mapping[str, Any] | Done]
    next_action: str | None
    blockers: Sequence[str] | None
    findings: Sequence[str]
    purpose: str | None
    milestones: Sequence[str]
    todo: Sequence[str]
    sections: Mapping[str, str | None] | None
    metadata: Mapping[str, Metadata] | None
    code: str
    finished: bool
    sources: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A record before it is written; None for what stays as it is.

    `trust` is how far what it rests on is trusted, where that is more than the steps it seals.
    """

    contribution: str
    done: tuple[Done, ...] = ()
    next_action: str | None = None
    blockers: tuple[str, ...] | None = None
    findings: tuple[str, ...] = ()
    purpose: str | None = None
    milestones: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()
    sections: Mapping[str, str | None] = field(default_factory=dict)
    metadata: Mapping[str, Metadata] = field(default_factory=dict)
    code: str = ""
    finished: bool = False
    sources: tuple[str, ...] = ()
    trust: Trust = Trust.USER

    @property
    def revises(self) -> bool:
        """Whether it changes `main.md`."""
        return bool(
            self.purpose is not None or self.milestones or self.todo or self.sections or self.done
        )


def draft(contribution: str, details: Details, safe: Safe) -> Draft:
    """Return what the caller wants to have said, clean and without secrets.

    Raises:
        MemoryStoreError: a value is no text, or too long, or all of them are.
        MemoryNameError: a segment may not be called so.
        RedactionError: secrets could not be removed.
    """
    known = {**details}
    made = Draft(
        contribution=text("contribution", contribution, safe),
        done=tuple(_done(one, safe) for one in _many("done", known.get("done"))),
        next_action=_optional("next_action", known.get("next_action"), safe),
        blockers=None if known.get("blockers") is None else _texts("blockers", known, safe),
        findings=_texts("findings", known, safe),
        purpose=_optional("purpose", known.get("purpose"), safe),
        milestones=_texts("milestones", known, safe),
        todo=_texts("todo", known, safe),
        sections=_sections(known.get("sections"), safe),
        metadata=_metadata(known.get("metadata"), safe),
        code=text("code", known.get("code") or "", safe),
        finished=bool(known.get("finished")),
        sources=_texts("sources", known, safe),
    )
    fitting("a record", {name: getattr(made, name) for name in _RECORDED})
    return made


def fitting(name: str, said: Metadata) -> None:
    """See that what a record is to say leaves room for what later ones take over of it.

    Raises:
        MemoryStoreError: it is too long.
    """
    if (size := len(texts.dump(said).encode())) > _TOGETHER:
        raise MemoryStoreError(
            f"what {name} says takes {size:,} bytes, and {_TOGETHER:,} is the most: write less, or "
            "store it in the archive and name its handle"
        )


def text(name: str, value: object, safe: Safe) -> str:
    """Return a text that may be stored.

    Raises:
        MemoryStoreError: it is none, or too long.
        RedactionError: secrets could not be removed.
    """
    if not isinstance(value, str):
        raise MemoryStoreError(f"{name} {str(value)[:40]!r} is no text: write a string")
    if len(value) > _LONGEST:
        raise MemoryStoreError(
            f"{name} has {len(value)} characters: write at most {_LONGEST}, or name a handle"
        )
    return safely(value, safe).strip("\n")


def verbatim(name: str, value: str, safe: Safe) -> str:
    """Return the user's words: without secrets, otherwise as they are.

    Raises:
        MemoryStoreError: it is no text.
        RedactionError: secrets could not be removed.
    """
    if not isinstance(value, str):
        raise MemoryStoreError(f"{name} {str(value)[:40]!r} is no text: write a string")
    return safe(value).encode("utf-8", "replace").decode()


def _optional(name: str, value: object, safe: Safe) -> str | None:
    return None if value is None else text(name, value, safe)


def _many(name: str, value: object) -> Sequence[Any]:
    if value is None:
        return ()
    if isinstance(value, (str, Mapping, Done)):
        return (value,)
    if not isinstance(value, Sequence):
        raise MemoryStoreError(f"{name} {str(value)[:40]!r} is no list: write a list of texts")
    return value


def _texts(name: str, known: Mapping[str, Any], safe: Safe) -> tuple[str, ...]:
    found = (text(name, one, safe) for one in _many(name, known.get(name)))
    return tuple(one for one in found if one.strip())


def _done(value: str | Mapping[str, Any] | Done, safe: Safe) -> Done:
    if isinstance(value, str):
        return Done(text=text("done", value, safe))
    if isinstance(value, Mapping):
        try:
            value = Done(**{"text": "", **value})
        except TypeError:
            raise MemoryStoreError(
                f"done {str(value)[:60]!r} has other fields: use text, command, exit_code, commit"
            ) from None
    code = value.exit_code
    if code is not None and (isinstance(code, bool) or not isinstance(code, int)):
        raise MemoryStoreError(f"exit_code {str(code)[:20]!r} is no number: write e.g. 0")
    return replace(
        value,
        text=text("done", value.text, safe),
        command=text("command", value.command, safe),
        commit=text("commit", value.commit, safe),
    )


def _sections(value: object, safe: Safe) -> dict[str, str | None]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise MemoryStoreError(f"sections {str(value)[:40]!r} are no mapping: write name: text")
    return {
        text("section", name, safe): _optional("section", body, safe)
        for name, body in value.items()
    }


def _metadata(value: object, safe: Safe) -> dict[str, Metadata]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(v, Mapping) for v in value.values()):
        raise MemoryStoreError(
            f"metadata {str(value)[:40]!r} is no mapping of segments: write {{segment: {{key: value}}}}"
        )
    for name in value:
        names.segment(name)
    return {name: _safe_value(one, safe) for name, one in value.items()}


def _safe_value(value: Any, safe: Safe) -> Any:
    if isinstance(value, str):
        return text("metadata", value, safe)
    if isinstance(value, Mapping):
        return {safely(str(k), safe): _safe_value(v, safe) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_safe_value(one, safe) for one in value]
    return value if value is None else texts.plain(value)
