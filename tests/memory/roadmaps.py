"""Roadmaps for the tests: any that a program could make, and those that people and agents write."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from agentctx.memory.records import Item, Roadmap
from agentctx.memory.roadmap import named, same

HARD = (
    *("# a", "## b", "\\## c", "### d", "```", "````", "~~~", "```py`", "\\```", "- [x] e", "* f"),
    *(
        "\\- g",
        "1. h",
        "1) ",
        "---",
        "* * *",
        "&#32;",
        "&#38;#32;",
        "&#10",
        "\r",
        "\r\n",
        "  ",
        "\t",
    ),
    *(
        "Purpose",
        "To-do",
        "\\To-do",
        "milestones",
        "#",
        "##",
        "-",
        "[ ]",
        "[x] i",
        "\u2028",
        "\ufeff",
    ),
)

_line = st.one_of(st.sampled_from(HARD), st.text(max_size=6))
texts = st.one_of(
    st.text(max_size=12),
    st.lists(st.tuples(st.sampled_from(("", " ", "  ", "    ", "\t")), _line), max_size=6).map(
        lambda parts: "\n".join(f"{space}{line}" for space, line in parts)
    ),
)
"""Texts that look like the structure of the file, or have odd edges."""

_items = st.lists(st.builds(Item, texts, st.booleans()), max_size=4).map(tuple)

anything = st.builds(
    Roadmap,
    purpose=texts,
    milestones=_items,
    todo=_items,
    sections=st.lists(st.tuples(texts, texts), max_size=3).map(tuple),
)
"""Every roadmap that the type allows."""


def distinct(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items without those that are one with an earlier one."""
    found: dict[str, Item] = {}
    for item in items:
        found.setdefault(same(item.text), item)
    return tuple(found.values())


def lean(roadmap: Roadmap) -> Roadmap:
    """Return a roadmap without items and sections that stand in it twice."""
    milestones = distinct(roadmap.milestones)
    known = {same(item.text) for item in milestones}
    return Roadmap(
        purpose=roadmap.purpose,
        milestones=milestones,
        todo=tuple(item for item in distinct(roadmap.todo) if same(item.text) not in known),
        sections=tuple({named(name): (name, body) for name, body in roadmap.sections}.values()),
    )
