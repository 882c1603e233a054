"""`main.md`, which people edit too: the roadmap of a memory as a value, and its revisions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agentctx.memory.plan import markdown
from agentctx.memory.plan.checklist import item, read_items, same, write_items
from agentctx.memory.records import Item, Roadmap

__all__ = ["named", "read", "revised", "same", "ticked", "write"]

_HEADING = re.compile(r"#{1,2}(?![^ \t])[ \t]*(.*)")
_KNOWN = {
    **dict.fromkeys(("purpose", "projectpurpose"), "purpose"),
    **dict.fromkeys(("milestones", "milestone", "keymilestones"), "milestones"),
    **dict.fromkeys(("todo", "todos", "todolist"), "todo"),
}
_NOTES = "Notes"


def read(text: str) -> Roadmap:
    """Return the roadmap that a text holds; every text holds one, and none of its lines is lost.

    Text before the first heading belongs to the purpose, headings that are not ours become
    sections, and headings among milestones or to-do go to the section Notes.
    """
    purpose: list[str] = []
    lists: dict[str, list[Item]] = {"milestones": [], "todo": []}
    sections: list[tuple[str, str]] = []
    notes: list[str] = []
    for name, lines in _blocks(markdown.lines(text)):
        kind = _kind(name)
        if kind in lists:
            items, headings = read_items(lines)
            lists[kind] += items
            notes += headings
        elif kind == "purpose":
            purpose.append(markdown.unescape("\n".join(lines)))
        else:
            sections.append((_unnamed(name), markdown.unescape("\n".join(lines))))
    return Roadmap(
        purpose="\n\n".join(filter(None, purpose)),
        milestones=tuple(lists["milestones"]),
        todo=tuple(lists["todo"]),
        sections=_noted(sections, notes),
    )


def write(roadmap: Roadmap) -> str:
    """Return the text of `main.md`; `read` returns what was written."""
    return "\n".join(
        [
            _block("# Purpose", markdown.escape(roadmap.purpose)),
            _block("## Milestones", write_items(roadmap.milestones)),
            _block("## To-do", write_items(roadmap.todo)),
            *(
                _block(f"## {_headed(name)}", markdown.escape(body))
                for name, body in roadmap.sections
            ),
        ]
    )


def ticked(roadmap: Roadmap, texts: Iterable[str]) -> Roadmap:
    """Return the roadmap with these milestones and to-do done; texts that it lacks are left out."""
    keys = {same(text) for text in texts}
    return replace(
        roadmap,
        milestones=tuple(_tick(one, keys) for one in roadmap.milestones),
        todo=tuple(_tick(one, keys) for one in roadmap.todo),
    )


def revised(
    roadmap: Roadmap,
    *,
    purpose: str | None = None,
    milestones: Iterable[str] = (),
    todo: Iterable[str] = (),
    done: Iterable[str] = (),
    sections: Mapping[str, str | None] | None = None,
) -> Roadmap:
    """Return a revision of a roadmap.

    Args:
        roadmap: what is revised.
        purpose: the new purpose; None leaves it.
        milestones: those to have; a to-do that becomes one moves. `[x] …` is a reached one.
        todo: those to have; what is there already, done or not, stays as it is.
        done: milestones and to-do that are done; done wins.
        sections: name → body; None removes that section.
    """
    reached, open_ = [item(text) for text in milestones], [item(text) for text in todo]
    moved = {same(one.text) for one in reached if one.text}
    first = _with(roadmap.milestones, reached, ())
    left = [one for one in roadmap.todo if same(one.text) not in moved]
    finished = (one.text for one in (*roadmap.todo, *reached, *open_) if one.done)
    found = Roadmap(
        purpose=roadmap.purpose if purpose is None else purpose,
        milestones=first,
        todo=_with(left, open_, {same(one.text) for one in first}),
        sections=_resectioned(roadmap.sections, sections or {}),
    )
    return ticked(found, [*done, *finished])


def named(name: str) -> str:
    """Return the key under which two sections are one."""
    return " ".join(name.casefold().split())


def _with(items: Sequence[Item], more: Iterable[Item], known: Iterable[str]) -> tuple[Item, ...]:
    seen = {*known, *(same(one.text) for one in items), ""}
    found = list(items)
    for one in more:
        if (key := same(one.text)) not in seen:
            found.append(one)
        seen.add(key)
    return tuple(found)


def _resectioned(
    sections: Sequence[tuple[str, str]], given: Mapping[str, str | None]
) -> tuple[tuple[str, str], ...]:
    bodies = {named(name): body for name, body in given.items()}
    names = {named(name): name for name in given}
    found: list[tuple[str, str]] = []
    for name, old in sections:
        key = named(name)
        if key not in names:
            found.append((name, old))
        elif (body := bodies.pop(key, None)) is not None:
            found.append((name, body))
    return (*found, *((names[key], body) for key, body in bodies.items() if body is not None))


def _tick(one: Item, keys: set[str]) -> Item:
    return Item(one.text, one.done or same(one.text) in keys)


def _blocks(lines: Sequence[str]) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = [("", [])]
    for line, within in zip(lines, markdown.fenced(lines), strict=True):
        heading = None if within else _HEADING.fullmatch(line)
        if heading:
            found.append((heading[1].rstrip(" \t"), []))
        else:
            found[-1][1].append(line)
    return found


def _block(heading: str, body: str) -> str:
    return f"{heading}\n\n{body}\n" if body else f"{heading}\n"


def _kind(name: str) -> str:
    if not name:
        return "purpose"
    if name.startswith("\\"):
        return ""
    return _KNOWN.get(re.sub(r"[\W_]+", "", name.casefold()), "")


def _headed(name: str) -> str:
    text = markdown.single(name)
    return f"\\{text}" if text.startswith("\\") or _kind(text) else text


def _unnamed(name: str) -> str:
    return markdown.decode(name.removeprefix("\\"))


def _noted(
    sections: Sequence[tuple[str, str]], notes: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    if not notes:
        return tuple(sections)
    old = next((body for name, body in sections if named(name) == named(_NOTES)), "")
    return _resectioned(sections, {_NOTES: "\n\n".join(filter(None, [old, *notes]))})
