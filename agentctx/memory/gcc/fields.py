"""What the paper's layout has no place for, as fields that only we read; and `metadata.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from agentctx.errors import MemoryNameError
from agentctx.memory import ids, names, texts
from agentctx.memory.records import (
    Branch,
    Commit,
    CommitKind,
    Done,
    Metadata,
    Outcome,
    Step,
    StepKind,
    Word,
)
from agentctx.values import Trust

Safe = Callable[[str], str]
Kind = TypeVar("Kind", bound=StrEnum)

_COMMIT_TEXTS = ("next_action", "session", "agent", "code", "origin")
_COMMIT_LISTS = ("blockers", "findings", "sources")
_COMMIT_FLAGS = ("finished", "quarantined")
_STEP_TEXTS = ("session", "call_id", "original")
_BRANCH = {"name", "purpose", "created_from", "created_at", "status", "merged_into", "merged_at"}
_OURS = {"hypothesis", "outcome", "lesson", "record", "session", "agent", "segments", "words"}
_STATUS = {Outcome.OPEN: "active", Outcome.ABANDONED: "abandoned"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What `metadata.yaml` says of a branch; `at` is when it was made, None if it does not say."""

    branch: Branch
    at: float | None = None
    segments: Mapping[str, Metadata] = field(default_factory=dict)
    words: tuple[Word, ...] = ()


def commit_extra(commit: Commit) -> dict[str, Any]:
    """Return what a record holds beside its three blocks."""
    kept = {
        "kind": "" if commit.kind is CommitKind.COMMIT else commit.kind.value,
        "trust": commit.trust.name.lower(),
        "done": [_lean(asdict(one)) for one in commit.done],
        **{name: getattr(commit, name) for name in (*_COMMIT_TEXTS, *_COMMIT_FLAGS)},
        **{name: list(getattr(commit, name)) for name in _COMMIT_LISTS},
    }
    return _lean(kept)


def commit_fields(extra: Mapping[str, Any], safe: Safe) -> dict[str, Any]:
    """Return the fields of a record that an entry states, whatever it may hold."""
    return {
        "kind": _one_of(CommitKind, extra.get("kind"), CommitKind.COMMIT),
        "trust": trust(extra.get("trust"), Trust.MODEL),
        "done": tuple(_done(one, safe) for one in _list(extra.get("done"))),
        **{name: _text(extra.get(name), safe) for name in _COMMIT_TEXTS},
        **{name: extra.get(name) is True for name in _COMMIT_FLAGS},
        **{
            name: tuple(_text(one, safe) for one in _list(extra.get(name)))
            for name in _COMMIT_LISTS
        },
    }


def step_extra(step: Step, commit: str) -> dict[str, Any]:
    """Return what a step holds beside observation, thought and action; `commit` sealed it."""
    kept = {
        "id": step.id,
        "commit": commit,
        "kind": "" if step.kind is StepKind.STEP else step.kind.value,
        "trust": step.trust.name.lower(),
        **{name: getattr(step, name) for name in _STEP_TEXTS},
    }
    code = {} if step.exit_code is None else {"exit_code": step.exit_code}
    return {**_lean(kept), **code}


def step_fields(extra: Mapping[str, Any], safe: Safe) -> dict[str, Any]:
    """Return the fields of a step that an entry states, whatever it may hold."""
    return {
        "kind": _one_of(StepKind, extra.get("kind"), StepKind.STEP),
        "trust": trust(extra.get("trust"), Trust.TOOL),
        "exit_code": _number(extra.get("exit_code")),
        **{name: _text(extra.get(name), safe) for name in _STEP_TEXTS},
    }


def write_metadata(found: Described, closed: float | None) -> str:
    """Return `metadata.yaml`: Contexa's fields, the paper's segments, and what is left of ours."""
    branch, merged = found.branch, bool(found.branch.merged_into)
    head = {
        "name": branch.name,
        "purpose": branch.purpose,
        "created_from": branch.parent,
        "created_at": moment(found.at or 0),
        "status": _STATUS.get(branch.outcome, "merged"),
        "merged_into": branch.merged_into if merged else None,
        "merged_at": moment(closed) if merged and closed is not None else None,
    }
    ours = {
        "record": branch.created_from,
        "hypothesis": branch.hypothesis,
        "outcome": "" if branch.outcome is Outcome.OPEN else branch.outcome.value,
        "lesson": branch.lesson,
        "session": branch.session,
        "agent": branch.agent,
        "words": [_lean(asdict(one)) for one in found.words],
    }
    hidden = {name: one for name, one in found.segments.items() if name in _BRANCH | _OURS}
    plain = {name: one for name, one in found.segments.items() if name not in hidden}
    return texts.dump({**head, **_lean(ours), **plain, **_lean({"segments": hidden})})


def read_metadata(text: str, name: str, safe: Safe) -> Described:
    """Return what a `metadata.yaml` says of the branch `name`.

    Raises:
        MemoryCorrupt: it is no YAML that may be read.
        MemoryNameError: a segment may not be called so.
    """
    known = texts.load(text)
    given = {key: _text(known.get(key), safe) for key in (*_BRANCH, *_OURS)}
    status = Outcome.ABANDONED if given["status"] == "abandoned" else Outcome.SUCCESS
    closed = given["status"] in ("merged", "abandoned")
    nested, words = known.pop("segments", None), known.pop("words", None)
    segments = {key: one for key, one in known.items() if key not in _BRANCH | _OURS}
    segments |= nested if isinstance(nested, dict) else {}
    return Described(
        branch=Branch(
            name=name,
            purpose=given["purpose"],
            hypothesis=given["hypothesis"],
            created_from=given["record"] if ids.ID.fullmatch(given["record"]) else "",
            parent=branch_name(given["created_from"]),
            session=given["session"],
            agent=given["agent"],
            outcome=_one_of(Outcome, given["outcome"], status if closed else Outcome.OPEN),
            lesson=given["lesson"],
            merged_into=branch_name(given["merged_into"]),
        ),
        at=seconds(given["created_at"]),
        segments={names.segment(key): _segment(one, safe) for key, one in segments.items()},
        words=tuple(_words(words, safe)),
    )


def trust(value: object, otherwise: Trust) -> Trust:
    """Return the trust of that name."""
    return Trust.__members__.get(str(value).upper(), otherwise)


def moment(at: float) -> str:
    """Return a time as the paper's files write it."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def seconds(text: str) -> float | None:
    """Return the time that a text names, in seconds since 1970; None if it names none."""
    try:
        at = datetime.fromisoformat(text.strip())
        return max((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp(), 0.0)
    except (ValueError, OverflowError):
        return None


def _segment(value: Any, safe: Safe) -> Metadata:
    cleaned = _cleaned(value, safe)
    return cleaned if isinstance(cleaned, dict) else {"value": cleaned}


def _cleaned(value: Any, safe: Safe) -> Any:
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, Mapping):
        return {safe(str(key)): _cleaned(one, safe) for key, one in value.items()}
    return [_cleaned(one, safe) for one in value] if isinstance(value, list) else value


def _done(value: Any, safe: Safe) -> Done:
    given = value if isinstance(value, dict) else {"text": value}
    return Done(
        text=_text(given.get("text"), safe),
        command=_text(given.get("command"), safe),
        exit_code=_number(given.get("exit_code")),
        commit=_text(given.get("commit"), safe),
    )


def _words(value: Any, safe: Safe) -> Iterator[Word]:
    for one in _list(value):
        if isinstance(one, dict) and ids.ID.fullmatch(_text(one.get("id"), str)):
            text, session = _text(one.get("text"), safe), _text(one.get("session"), safe)
            yield Word(
                id=one["id"], text=text, session=session, answered=one.get("answered") is True
            )


def _one_of(kind: type[Kind], value: object, otherwise: Kind) -> Kind:
    return next((one for one in kind if one.value == value), otherwise)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object, safe: Safe) -> str:
    return safe(value) if isinstance(value, str) else ""


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def branch_name(text: str) -> str:
    """Return a text if it may name a branch, else ""."""
    try:
        return names.branch(text)
    except MemoryNameError:
        return ""


def _lean(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        n: one for n, one in given.items() if one is not False and one not in (None, "", [], {})
    }
