"""How records stand in files: YAML front matter and the paper's three blocks; JSON lines for steps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields, replace
from functools import lru_cache
from typing import Any, TypeVar

import yaml

from agentctx.errors import MemoryCorrupt
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

BLOCKS = {
    "purpose": "Branch Purpose",
    "previous": "Previous Progress Summary",
    "contribution": "This Commit's Contribution",
}

_HEADING = re.compile(r"^\\*## ", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(\\*## )", re.MULTILINE)
_LIMIT = 1 << 20
_RECENT = 64  # texts that are read again and again: a state looks back at 20 records

Value = TypeVar("Value", Commit, Branch, Step, Word)

_DEFAULTS: dict[type, dict[str, Any]] = {
    kind: {field.name: field.default for field in fields(kind)}
    for kind in (Commit, Branch, Step, Word)
}

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def write_commit(commit: Commit) -> str:
    """Return the text of a record: `commits/…/<id>.md`."""
    head = {k: v for k, v in _lean(commit).items() if k not in BLOCKS}
    blocks = "".join(
        f"\n## {title}\n{_HEADING.sub(_escape, getattr(commit, name))}\n"
        for name, title in BLOCKS.items()
    )
    return f"---\n{dump(head)}---\n{blocks}"


@lru_cache(maxsize=_RECENT)
def read_commit(text: str) -> Commit:
    """Return the record that a text holds.

    Raises:
        MemoryCorrupt: it holds none.
    """
    head, rest = _front(text)
    blocks: dict[str, str] = {}
    for name, title in BLOCKS.items():
        start = f"\n## {title}\n"
        if not rest.startswith(start):
            raise MemoryCorrupt(f"a record without its block {title!r}: run agentctx memory verify")
        end = re.search(r"\n(?=\n## )|\n\Z", rest[len(start) :])
        body = rest[len(start) :][: end.start()] if end else rest[len(start) :]
        rest = rest[len(start) + len(body) + 1 :]
        blocks[name] = _ESCAPED.sub(r"\1", body)
    return _made(Commit, {**head, **blocks})


def write_branch(branch: Branch) -> str:
    """Return the text of `branch.yaml`."""
    return dump(_lean(branch))


@lru_cache(maxsize=_RECENT)
def read_branch(text: str) -> Branch:
    """Return the branch that a text describes.

    Raises:
        MemoryCorrupt: it describes none.
    """
    return _made(Branch, load(text))


def write_steps(steps: Iterable[Step]) -> str:
    """Return the text of a log slice: one JSON line a step."""
    return "".join(f"{json.dumps(_lean(step), ensure_ascii=False)}\n" for step in steps)


def read_steps(text: str) -> Iterator[Step]:
    """Yield the steps of a log slice.

    Raises:
        MemoryCorrupt: a line is none.
    """
    return (read_step(line) for line in text.split("\n") if line)


def read_step(line: str) -> Step:
    """Return the step that a JSON object holds.

    Raises:
        MemoryCorrupt: it holds none.
    """
    return _made(Step, _json(line))


def step(values: Mapping[str, Any]) -> Step:
    """Return the step of these JSON values.

    Raises:
        MemoryCorrupt: they are none.
    """
    return _made(Step, values)


def step_fields(step: Step) -> dict[str, Any]:
    """Return a step as JSON values, without those that are defaults."""
    return _lean(step)


def write_words(words: Iterable[Word]) -> str:
    """Return the text of `words.jsonl`."""
    return "".join(f"{json.dumps(_lean(word), ensure_ascii=False)}\n" for word in words)


def read_words(text: str) -> tuple[Word, ...]:
    """Return the user's words.

    Raises:
        MemoryCorrupt: a line is none.
    """
    return tuple(_made(Word, _json(line)) for line in text.split("\n") if line)


def dump(value: Metadata) -> str:
    """Return YAML, keys in their order."""
    text: str = yaml.dump(
        plain(value), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
    )
    return text


def load(text: str) -> dict[str, Any]:
    """Return the mapping that a YAML text holds.

    Raises:
        MemoryCorrupt: it holds none, has aliases, or is larger than 1 MiB.
    """
    try:
        if len(text) > _LIMIT:
            raise ValueError("it is larger than 1 MiB")
        if "&" in text and "*" in text:
            _refuse_aliases(text)
        value = plain(yaml.load(text, Loader=_Loader) or {})  # noqa: S506  (a safe loader, in C)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise MemoryCorrupt(f"YAML that cannot be read: {reason}: mend that file") from None
    if not isinstance(value, dict):
        raise MemoryCorrupt("YAML that is no mapping: write `key: value` lines")
    return value


def _refuse_aliases(text: str) -> None:
    """Raise for aliases: a few lines of them stand for gigabytes."""
    if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_Loader)):
        raise ValueError("it has aliases (*name); write out what they stand for")


def _front(text: str) -> tuple[dict[str, Any], str]:
    if not text.startswith("---\n") or "\n---\n" not in text:
        raise MemoryCorrupt("a record without front matter: run agentctx memory verify")
    head, _, rest = text[4:].partition("\n---\n")
    return load(head), rest


def _escape(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


def _json(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise MemoryCorrupt(f"{line[:60]!r} is no record: run agentctx memory verify")
    return value


def _lean(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from their defaults, as JSON values."""
    values = ((name, getattr(value, name), one) for name, one in _DEFAULTS[type(value)].items())
    return {name: plain(found) for name, found, default in values if found != default}


def plain(value: Any) -> Any:
    """Return a value as JSON values; mappings without what is None."""
    if isinstance(value, Trust):
        return value.name.lower()
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items() if one is not None}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(one) for one in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return plain(asdict(value)) if hasattr(value, "__dataclass_fields__") else str(value)


_ENUMS = {"outcome": Outcome}


def _made(kind: type[Value], given: Mapping[str, Any]) -> Value:
    """Return the dataclass of these fields; unknown ones, of a newer version, are left out."""
    known = _DEFAULTS[kind]
    try:
        values = {name: _typed(kind, name, v) for name, v in given.items() if name in known}
        return kind(**values)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise MemoryCorrupt(
            f"{kind.__name__.lower()} that cannot be read: {error}: run agentctx memory verify"
        ) from None


def _typed(kind: type, name: str, value: Any) -> Any:
    if name == "trust":
        return Trust[value.upper()]
    if name == "kind":
        return (CommitKind if kind is Commit else StepKind)(value)
    if name == "done":
        return tuple(replace(Done(text=""), **one) for one in value)
    if isinstance(value, list):
        return tuple(str(one) for one in value)
    return _ENUMS[name](value) if name in _ENUMS else value
