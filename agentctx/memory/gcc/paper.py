"""The texts of the paper's layout: entries of `commit.md` and `log.md`, as Contexa writes them too.

Source: Git-Context-Controller, https://arxiv.org/abs/2508.00031 (v3), section 2.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

COMMIT_FIELDS = ("Branch Purpose", "Previous Progress Summary", "This Commit's Contribution")
STEP_FIELDS = ("Observation", "Thought", "Action")

_NAMES = "|".join(("Timestamp", *COMMIT_FIELDS, *STEP_FIELDS))
_FIELD = rf"(?:\*\*(?:{_NAMES}):\*\*|\*\*(?:{_NAMES})\*\*:|#{{2,6}} (?:{_NAMES})[ \t]*$)"
_HEADING = r"(?:#{2,4} (?:Commit|Step)\b|## Merged from `)"
_NOTE = r"<!-- agentctx "
_MARK = rf"(?:---[ \t]*$|{_FIELD}|{_HEADING}|{_NOTE})"

_PLAIN = re.compile(rf"(?<=\n)(?=\\*{_MARK})", re.M)
_ESCAPED = re.compile(rf"(?<=\n)\\(?=\\*{_MARK})", re.M)
_START = re.compile(
    r"^(?:#{2,4} (?P<kind>Commit|Step)\b(?P<rest>[^\n]*)|## Merged from `(?P<origin>[^`\n]*)`[^\n]*)$",
    re.M,
)
_FOUND = re.compile(rf"\n?\n?^(?P<mark>{_FIELD})[ \n]?", re.M)
_COMMENT = re.compile(rf"^{_NOTE}(.*) -->$", re.M)
_RULE = "\n\n---"
_NAME = re.compile(r"`([^`]*)`|(\[?[\w.-]+\]?)")
_BETWEEN = re.compile(r"\s+(?:—|–|-)\s+|\s*-\s*(?=\d{4}-)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry: its name or number, its moment as written, its fields, and what only we write.

    `origin` is the branch from which its log was merged, "" for the branch's own.
    """

    name: str
    at: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    origin: str = ""


def write_commits(branch: str, entries: Iterable[Entry]) -> str:
    """Return `commit.md`."""
    written = (
        f"## Commit `{one.name}`\n{_note(one)}**Timestamp:** {one.at}\n\n"
        f"{_fields(one, COMMIT_FIELDS)}---\n"
        for one in entries
    )
    return f"# Commit History — branch `{branch}`\n\n{''.join(written)}"


def write_log(branch: str, entries: Iterable[Entry]) -> str:
    """Return `log.md`; what was merged stands under a heading that names its branch."""
    parts, origin = [f"# OTA Log — branch `{branch}`\n\n"], ""
    for one in entries:
        if one.origin != origin:
            origin = one.origin
            parts.append(f"\n## Merged from `{origin or branch}`\n\n")
        parts.append(
            f"### Step {one.name} — {one.at}\n{_note(one)}{_fields(one, STEP_FIELDS)}---\n"
        )
    return "".join(parts)


def read_commits(text: str) -> list[Entry]:
    """Return the entries of a `commit.md`; text that belongs to none becomes one of its own."""
    return list(_entries(text, COMMIT_FIELDS, "Commit"))


def read_log(text: str, branch: str) -> list[Entry]:
    """Return the entries of the `log.md` of a branch, likewise."""
    found = _entries(text, STEP_FIELDS, "Step")
    return [_own(one) if one.origin == branch else one for one in found]


def _own(entry: Entry) -> Entry:
    return Entry(name=entry.name, at=entry.at, fields=entry.fields, extra=entry.extra)


def _note(entry: Entry) -> str:
    """Return what only we read, on one line that ends where it says."""
    if not entry.extra:
        return ""
    text = json.dumps(dict(entry.extra), ensure_ascii=False).replace(">", "\\u003e")
    return f"{_NOTE}{text} -->\n"


def _fields(entry: Entry, names: Sequence[str]) -> str:
    return "".join(f"**{name}:** {_escape(entry.fields.get(name, ''))}\n\n" for name in names)


def _escape(text: str) -> str:
    return _PLAIN.sub(r"\\", text)


def _entries(text: str, names: Sequence[str], kind: str) -> Iterator[Entry]:
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    starts = [m for m in _START.finditer(text) if m["kind"] in (kind, None)]
    before = text[: starts[0].start()] if starts else text
    if loose := re.sub(r"\A\s*# [^\n]*", "", before).strip(" \n-"):
        yield Entry(name="", fields={names[-1 if kind == "Commit" else 0]: loose})
    origin = ""
    for start, end in zip(starts, _ends(starts, text), strict=True):
        if start["origin"] is not None:
            origin = start["origin"]
            continue
        body = text[start.end() + 1 : end]
        yield _entry(start["rest"], body, names, origin)


def _ends(starts: list[re.Match[str]], text: str) -> list[int]:
    return [*(start.start() for start in starts[1:]), *([len(text)] if starts else [])]


def _entry(rest: str, body: str, names: Sequence[str], origin: str) -> Entry:
    found = _read_fields(body)
    name, at = _heading(rest[:200])
    loose = found.pop("", "").strip(" \n-")
    if loose and not any(found.get(one) for one in names):
        found[names[-1] if names is COMMIT_FIELDS else names[0]] = loose
    return Entry(
        name=name,
        at=found.pop("Timestamp", "").strip() or at,
        fields={one: found[one] for one in names if one in found},
        extra=_extra(body),
        origin=origin,
    )


def _heading(rest: str) -> tuple[str, str]:
    first, *at = _BETWEEN.split(rest.strip(), maxsplit=1)
    name = _NAME.search(first)
    return (name[1] or name[2] or "" if name else ""), (at[0] if at else "")


def _read_fields(body: str) -> dict[str, str]:
    """Return the fields of an entry by name; under "" what stands before the first."""
    marks = list(_FOUND.finditer(body))
    found = {"": _COMMENT.sub("", body[: marks[0].start()] if marks else _ended(body))}
    for mark, end in zip(marks, _ends(marks, body), strict=True):
        value = body[mark.end() : end]
        value = value if mark is not marks[-1] else _ended(value)
        found.setdefault(mark["mark"].strip("*#: \t"), _ESCAPED.sub("", value))
    return found


def _ended(value: str) -> str:
    """Return the last field of an entry without the rule that ends it."""
    text = value.rstrip()
    return text.removesuffix(_RULE) if text.endswith(_RULE) else value.rstrip("\n")


def _extra(body: str) -> dict[str, Any]:
    comment = _COMMENT.match(body)
    try:
        value = json.loads(comment[1]) if comment else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
