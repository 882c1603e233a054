"""Words of records and of queries, as the full-text index takes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agentctx.memory.hygiene import clean
from agentctx.memory.records import Commit, Step

_CJK = "\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{_CJK}]")
_PART = re.compile(r'"([^"]*)"|(\S+)')
_WORD = re.compile(r"\w*[^\W_]\w*")

_QUERY, _TERMS = 1_000, 16  # characters and terms of a query that count
_BEFORE, _AFTER = 60, 180  # characters of an excerpt
_HEAD, _LOG = 300, 12_000  # characters of each part of a step, and of a record's steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What is searched of a record: its title, what it says, what stood before, its steps."""

    title: str
    said: str
    around: str
    log: str


def text(commit: Commit, steps: Iterable[Step]) -> Text:
    """Return the words of a record and of the heads of its steps."""
    done = [part for one in commit.done for part in (one.text, one.command)]
    said = [commit.contribution, commit.next_action, *commit.findings, *commit.blockers, *done]
    return Text(
        title=spaced(commit.title),
        said=spaced("\n".join(said)),
        around=spaced(f"{commit.purpose}\n{commit.previous}"),
        log=spaced("\n".join(_heads(steps))[:_LOG]),
    )


def terms(query: str) -> Sequence[str]:
    """Return the FTS5 strings of what a person wrote: a phrase for each word, or quoted words.

    Whatever is written is looked for; nothing of it is taken for an operator.
    """
    parts = _PART.finditer(spaced(clean(query[:_QUERY]), phrases=True))
    words = (_WORD.findall(part[1] or part[2] or "") for part in parts)
    phrases = (f'"{" ".join(found)}"' for found in words if found)
    return [*dict.fromkeys(phrases)][:_TERMS]


def spaced(text: str, *, phrases: bool = False) -> str:
    """Return a text with room around every character of scripts that are written without it."""
    if text.isascii():
        return text
    if phrases:  # characters that were written together are looked for together
        return re.sub(f"[{_CJK}]+", lambda run: f' "{" ".join(run[0])}" ', text)
    return _UNSPACED.sub(r" \g<0> ", text)


def excerpt(texts: Iterable[str], found: Sequence[str]) -> str:
    """Return one line around the first place in some spaced texts where a term stands."""
    words = [word for term in found for word in _WORD.findall(term)]
    # A stem is found in whatever form of the word the index has matched.
    stems = "|".join(re.escape(word[: max(3, len(word) - 3)]) for word in words)
    place = re.compile(rf"\b(?:{stems})", re.IGNORECASE)
    for text in texts:
        if match := place.search(text):
            start = max(0, match.start() - _BEFORE)
            cut = text[start : match.start() + _AFTER]
            more = start + len(cut) < len(text)
            return f"{'… ' * (start > 0)}{_unspaced(cut)}{' …' * more}"
    return ""


def _unspaced(text: str) -> str:
    line = " ".join(text.split())
    return line if line.isascii() else re.sub(f"(?<=[{_CJK}]) (?=[{_CJK}])", "", line)


def _heads(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        for part in (step.thought, step.action, step.observation):
            if part:
                yield part[:_HEAD]
