"""The texts of a memory without what is to be forgotten."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from agentctx.errors import MemoryCorrupt
from agentctx.memory import texts
from agentctx.memory.forget.target import MARK, Target, strings
from agentctx.memory.plan import roadmap
from agentctx.memory.records import Branch, Commit, Done, Item, Roadmap, Step, Word
from agentctx.memory.store import paths
from agentctx.memory.write.fold import fold

Before: TypeAlias = Callable[[Commit], Commit | None]
"""Returns the rewritten record whose fold a record repeats, None if it repeats none that changed."""


def file(path: str, text: str, wanted: Target, ended: Before) -> str:
    """Return a file of a tree without what is to be forgotten.

    Args:
        path: where it stands.
        text: what it holds.
        wanted: what is to be forgotten.
        ended: returns the record before one, where its fold changes.
    """
    name = path.rpartition("/")[2].partition(".")[0]
    try:
        if path.startswith(f"{paths.LOGS}/"):
            steps = texts.read_steps(text)
            whole = name in wanted.records
            return texts.write_steps(step(one, wanted, whole=whole) for one in steps)
        return _KINDS.get(path.partition("/")[0], _other)(text, wanted, ended)
    except MemoryCorrupt:
        return wanted.without(text)


def commit(made: Commit, wanted: Target, before: Commit | None) -> Commit:
    """Return a record without what is to be forgotten; `before` is the one it followed, rewritten."""
    clean = wanted.without
    if wanted.takes(made.id, made.session):
        made = replace(
            made,
            contribution=MARK,
            done=(),
            next_action="",
            blockers=(),
            findings=(),
            session="" if wanted.session else made.session,
        )
    return replace(
        made,
        purpose=clean(made.purpose),
        previous=fold(before) if before else clean(made.previous),
        contribution=clean(made.contribution),
        done=tuple(_done(one, clean) for one in made.done),
        next_action=clean(made.next_action),
        blockers=tuple(map(clean, made.blockers)),
        findings=tuple(map(clean, made.findings)),
        sources=tuple(map(clean, made.sources)),
        session=clean(made.session),
        agent=clean(made.agent),
        code=clean(made.code),
    )


def step(made: Step, wanted: Target, *, whole: bool = False) -> Step:
    """Return a step without what is to be forgotten; all of it if `whole`."""
    if whole or wanted.takes(made.id, made.session):
        made = replace(
            made,
            observation=MARK if made.observation else "",
            thought=MARK if made.thought else "",
            action=MARK if made.action else "",
            original="",
            session="" if wanted.session else made.session,
        )
    clean = wanted.without
    return replace(
        made,
        observation=clean(made.observation),
        thought=clean(made.thought),
        action=clean(made.action),
        session=clean(made.session),
        call_id=clean(made.call_id),
        original=clean(made.original),
    )


def _commit(text: str, wanted: Target, ended: Before) -> str:
    made = texts.read_commit(text)
    return texts.write_commit(commit(made, wanted, ended(made)))


def _roadmap(text: str, wanted: Target, ended: Before) -> str:
    if not any(wanted.matches(one) for one in (text, *strings(_parts(roadmap.read(text))))):
        return text
    plan, clean = roadmap.read(text), wanted.without
    return roadmap.write(
        Roadmap(
            purpose=clean(plan.purpose),
            milestones=_items(plan.milestones, clean),
            todo=_items(plan.todo, clean),
            sections=tuple((clean(name), clean(body)) for name, body in plan.sections),
        )
    )


def _branch(text: str, wanted: Target, ended: Before) -> str:
    made, clean = texts.read_branch(text), wanted.without
    session = "" if wanted.session and made.session == wanted.session else made.session
    found: Branch = replace(
        made,
        purpose=clean(made.purpose),
        hypothesis=clean(made.hypothesis),
        lesson=clean(made.lesson),
        session=clean(session),
        agent=clean(made.agent),
    )
    return texts.write_branch(found)


def _words(text: str, wanted: Target, ended: Before) -> str:
    return texts.write_words(_word(one, wanted) for one in texts.read_words(text))


def _word(made: Word, wanted: Target) -> Word:
    gone = wanted.takes(made.id, made.session)
    session = "" if gone and wanted.session else made.session
    return replace(made, text=MARK if gone else wanted.without(made.text), session=session)


def _metadata(text: str, wanted: Target, ended: Before) -> str:
    value = texts.load(text)
    return texts.dump(_cleaned(value, wanted)) if any(map(wanted.matches, strings(value))) else text


def _other(text: str, wanted: Target, ended: Before) -> str:
    """Return another file of ours, such as an adapter's: JSON value by value, else as text."""
    return "\n".join(_other_line(line, wanted) for line in text.split("\n"))


def _other_line(line: str, wanted: Target) -> str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return wanted.without(line)
    if not any(map(wanted.matches, strings(value))):
        return line
    return json.dumps(_cleaned(value, wanted), ensure_ascii=False)


def _cleaned(value: Any, wanted: Target) -> Any:
    if isinstance(value, str):
        return wanted.without(value)
    if isinstance(value, Mapping):
        return {wanted.without(str(key)): _cleaned(one, wanted) for key, one in value.items()}
    if isinstance(value, list):
        return [_cleaned(one, wanted) for one in value]
    return MARK if wanted.matches(str(value)) else value


def _items(items: tuple[Item, ...], clean: Callable[[str], str]) -> tuple[Item, ...]:
    found = (Item(clean(one.text), one.done) for one in items)
    return tuple(one for one in found if one.text != MARK)


def _done(one: Done, clean: Callable[[str], str]) -> Done:
    return replace(one, text=clean(one.text), command=clean(one.command), commit=clean(one.commit))


def _parts(plan: Roadmap) -> list[Any]:
    return [plan.purpose, [one.text for one in (*plan.milestones, *plan.todo)], plan.sections]


_KINDS: Mapping[str, Callable[[str, Target, Before], str]] = {
    paths.COMMITS: _commit,
    paths.ROADMAP: _roadmap,
    paths.BRANCH: _branch,
    paths.WORDS: _words,
    paths.METADATA: _metadata,
}
