"""Roadmaps for the tests: any that a program could make, and those that people and agents write."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from agentctx.memory.plan.roadmap import named, same
from agentctx.memory.plan.roadmap import ticked as redone
from agentctx.memory.records import Item, Roadmap

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


_names = st.sampled_from(("parse", "lex", "emit", "link", "test", "ship", "tune", "port"))
_spelled = st.sampled_from(("{}", "`{}`", "{}.", "The  {}"))
_bodies = st.lists(st.sampled_from(("one", "two", "three", "four")), max_size=2).map("\n\n".join)
_written = st.lists(
    st.builds(
        lambda name, how, done: Item(how.format(name), done), _names, _spelled, st.booleans()
    ),
    max_size=4,
).map(tuple)

roadmaps = st.builds(
    Roadmap,
    purpose=_bodies,
    milestones=_written,
    todo=_written,
    sections=st.lists(
        st.tuples(st.sampled_from(("Notes", "notes", "Risks")), _bodies), max_size=2
    ).map(tuple),
).map(lean)
"""Roadmaps of few words, so that any two of them have much in common."""


@st.composite
def _edited(draw: st.DrawFn, roadmap: Roadmap) -> Roadmap:
    """Draw what becomes of a roadmap that nobody unticks and whose milestones nobody removes."""

    def ticked(item: Item) -> Item:
        return Item(item.text, item.done or draw(st.booleans()))

    kept = [ticked(item) for item in roadmap.todo if draw(st.integers(0, 3))]
    moved = [item for item in kept if not draw(st.integers(0, 3))]
    extra = draw(roadmaps)
    found = lean(
        Roadmap(
            purpose=draw(st.sampled_from((roadmap.purpose, extra.purpose))),
            milestones=tuple(
                draw(
                    st.permutations(
                        [
                            *(ticked(item) for item in roadmap.milestones),
                            *moved,
                            *extra.milestones[:2],
                        ]
                    )
                )
            ),
            todo=(*(item for item in kept if item not in moved), *extra.todo[:2]),
            sections=draw(st.sampled_from((roadmap.sections, extra.sections))),
        )
    )
    finished = [item.text for item in (*roadmap.milestones, *roadmap.todo) if item.done]
    return redone(found, finished)


edits = roadmaps.flatmap(lambda base: st.tuples(st.just(base), _edited(base), _edited(base)))
"""A base and two edits of it, in which no milestone is removed and nothing is unticked."""
