from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory.merge import Policy, merge_roadmaps, policy
from agentctx.memory.plan.roadmap import named, read, same, write
from agentctx.memory.records import Clash, Item, Roadmap
from tests.memory.roadmaps import anything, edits, roadmaps

AGENT = policy("agent")
THREE = st.one_of(st.tuples(roadmaps, roadmaps, roadmaps), edits)
"""Three roadmaps: of anybody's making, or a base and what became of it."""


def boxes(roadmap: Roadmap) -> list[str]:
    return [same(item.text) for item in (*roadmap.milestones, *roadmap.todo)]


def milestones(roadmap: Roadmap) -> set[str]:
    return {same(item.text) for item in roadmap.milestones}


def done(roadmap: Roadmap) -> set[str]:
    return {same(item.text) for item in (*roadmap.milestones, *roadmap.todo) if item.done}


def content(roadmap: Roadmap) -> tuple[object, ...]:
    """What a roadmap says, however it is ordered and spelled."""
    bodies = {named(name): body for name, body in roadmap.sections}
    return milestones(roadmap), set(boxes(roadmap)), done(roadmap), roadmap.purpose, bodies


def items(base: str, ours: str, theirs: str) -> str:
    """Merge three checklists, `m:` before those that are milestones."""

    def roadmap(text: str) -> Roadmap:
        read_ = [Item(one.strip("m:x "), "x " in one) for one in text.split(", ") if one]
        reached = ["m:" in one for one in text.split(", ") if one]
        return Roadmap(
            milestones=tuple(one for one, is_ in zip(read_, reached, strict=True) if is_),
            todo=tuple(one for one, is_ in zip(read_, reached, strict=True) if not is_),
        )

    merged, clashes = merge_roadmaps(roadmap(base), roadmap(ours), roadmap(theirs), AGENT)
    assert not clashes

    def told(found: tuple[Item, ...], mark: str) -> Iterator[str]:
        return (f"{mark}{'x ' if one.done else ''}{one.text}" for one in found)

    return ", ".join([*told(merged.milestones, "m:"), *told(merged.todo, "")])


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("a, b", "x a, b", "a, x b", "x a, x b"),
        ("a", "a, b", "a, c, B.", "a, b, c"),
        ("a", "b, a", "a", "b, a"),
        ("a", "a", "b, a", "b, a"),
        ("a, b", "b", "a, b", "b"),
        ("a, b", "b", "x a, b", "b, x a"),
        ("x a, b", "b", "x a, b", "b"),
        ("m:a, m:b", "m:b", "m:a, m:b", "m:b, m:a"),
        ("m:a", "", "", ""),
        ("a, b", "m:x a, b", "a, b", "m:x a, b"),
        ("a, b", "m:a, b", "x a, b", "m:x a, b"),
        ("a", "m:a", "", "m:a"),
        ("m:a", "a", "m:a", "m:a"),
        ("m:a", "a", "", "a"),
        ("", "a, x A.", "", "x a"),
        ("x a", "a", "x a", "x a"),
        ("", "m:a", "a", "m:a"),
        ("", "a", "m:x A!", "m:x a"),
        ("a b", "a B.", "a  b", "a B."),
        ("a b", "a b", "A b", "A b"),
        ("a, b, c", "c, b, a", "a, b, c, d", "c, b, a, d"),
    ],
)
def test_items_are_merged_one_by_one(base: str, ours: str, theirs: str, merged: str) -> None:
    assert items(base, ours, theirs) == merged


@given(THREE)
def test_no_box_stands_twice(three: tuple[Roadmap, Roadmap, Roadmap]) -> None:
    found = boxes(merge_roadmaps(*three, AGENT)[0])
    assert len(found) == len(set(found))


@given(THREE)
def test_no_milestone_is_lost(three: tuple[Roadmap, Roadmap, Roadmap]) -> None:
    _, ours, theirs = three
    assert milestones(merge_roadmaps(*three, AGENT)[0]) == milestones(ours) | milestones(theirs)


@given(THREE)
def test_no_item_is_open_that_is_done_on_either_side(
    three: tuple[Roadmap, Roadmap, Roadmap],
) -> None:
    _, ours, theirs = three
    merged = merge_roadmaps(*three, AGENT)[0]
    assert done(merged) == (done(ours) | done(theirs)) & set(boxes(merged))


@given(THREE)
def test_what_a_side_added_or_ticked_is_there(three: tuple[Roadmap, Roadmap, Roadmap]) -> None:
    base, ours, theirs = three
    merged = set(boxes(merge_roadmaps(*three, AGENT)[0]))
    for side in (ours, theirs):
        assert set(boxes(side)) - set(boxes(base)) <= merged
        assert done(side) - done(base) <= merged


@given(THREE)
def test_what_neither_side_has_is_gone(three: tuple[Roadmap, Roadmap, Roadmap]) -> None:
    _, ours, theirs = three
    assert set(boxes(merge_roadmaps(*three, AGENT)[0])) <= {*boxes(ours), *boxes(theirs)}


@given(anything, anything, anything, st.sampled_from(("ours", "theirs", "both", "agent")))
def test_no_marker_of_a_conflict_is_written(
    base: Roadmap, ours: Roadmap, theirs: Roadmap, name: str
) -> None:
    merged = write(merge_roadmaps(base, ours, theirs, policy(name))[0])
    assert not re.search(r"^(<{7}|={7}|>{7})", merged, re.MULTILINE)
    assert read(merged) == merge_roadmaps(base, ours, theirs, policy(name))[0]


@given(THREE)
def test_the_same_on_both_sides_is_taken_as_it_is(three: tuple[Roadmap, Roadmap, Roadmap]) -> None:
    base, side, _ = three
    assert merge_roadmaps(base, side, side, AGENT) == (side, ())


@given(edits)
def test_what_one_side_did_is_taken_as_it_is(three: tuple[Roadmap, Roadmap, Roadmap]) -> None:
    base, side, _ = three
    assert merge_roadmaps(base, base, side, AGENT) == (side, ())
    assert merge_roadmaps(base, side, base, AGENT) == (side, ())


@given(THREE)
def test_the_sides_may_change_places(three: tuple[Roadmap, Roadmap, Roadmap]) -> None:
    base, ours, theirs = three
    one, clashes = merge_roadmaps(base, ours, theirs, AGENT)
    other, swapped = merge_roadmaps(base, theirs, ours, AGENT)
    assert {clash.item.casefold() for clash in clashes} == {c.item.casefold() for c in swapped}
    if not clashes:
        assert content(one) == content(other)


@given(THREE, st.sampled_from(("ours", "theirs", "both")))
def test_no_policy_but_the_agents_leaves_a_clash(
    three: tuple[Roadmap, Roadmap, Roadmap], name: str
) -> None:
    assert merge_roadmaps(*three, policy(name))[1] == ()


@given(THREE, st.sampled_from(("ours", "theirs", "both", "my own text")))
def test_the_agent_settles_all_clashes_in_one_call(
    three: tuple[Roadmap, Roadmap, Roadmap], answer: str
) -> None:
    clashes = merge_roadmaps(*three, AGENT)[1]
    answers = {clash.item: answer for clash in clashes}
    assert len(answers) == len(clashes)
    assert merge_roadmaps(*three, policy("agent", answers))[1] == ()


def noted(*bodies: str | None, name: str = "Notes") -> list[Roadmap]:
    return [Roadmap(sections=((name, body),) if body is not None else ()) for body in bodies]


def purposes(*texts: str) -> list[Roadmap]:
    return [Roadmap(purpose=text) for text in texts]


def test_every_clash_is_told_with_its_three_texts() -> None:
    base = Roadmap(purpose="a", sections=(("Notes", "b"), ("Risks", "c"), ("Else", "d")))
    ours = Roadmap(purpose="a1", sections=(("Notes", "b1"), ("Risks", "c1"), ("Else", "d")))
    theirs = Roadmap(purpose="a2", sections=(("Notes", "b2"), ("Else", "d2")))
    merged, clashes = merge_roadmaps(base, ours, theirs, AGENT)
    assert clashes == (
        Clash("main.md", "main.md:purpose", "a", "a1", "a2"),
        Clash("main.md", "main.md:## Notes", "b", "b1", "b2"),
        Clash("main.md", "main.md:## Risks", "c", "c1", None),
    )
    assert ("Else", "d2") in merged.sections


def test_a_side_without_a_purpose_has_none() -> None:
    _, clashes = merge_roadmaps(*purposes("", "b", "c"), AGENT)
    assert clashes == (Clash("main.md", "main.md:purpose", None, "b", "c"),)
    assert merge_roadmaps(*purposes("a", "", "c"), policy("both"))[0].purpose == "c"


@pytest.mark.parametrize(
    ("answer", "purpose"),
    [("ours", "b"), ("theirs", "c"), ("both", "b\n\nc"), ("So it is.", "So it is.")],
)
def test_a_resolution_says_what_the_purpose_is(answer: str, purpose: str) -> None:
    resolved = policy("agent", {"main.md:purpose": answer})
    assert merge_roadmaps(*purposes("a", "b", "c"), resolved) == (Roadmap(purpose=purpose), ())


def test_a_resolution_goes_before_the_policy() -> None:
    resolved = policy("ours", {"main.md:purpose": "theirs"})
    assert merge_roadmaps(*purposes("a", "b", "c"), resolved)[0].purpose == "c"


def test_a_function_may_be_the_policy() -> None:
    resolver: Callable[[Clash], str] = lambda clash: f"{clash.ours} or {clash.theirs}"  # noqa: E731
    assert merge_roadmaps(*purposes("", "b", "c"), resolver)[0].purpose == "b or c"


def test_changes_of_different_paragraphs_are_made_both() -> None:
    three = noted("a\n\nb\n\nc", "a1\n\nb\n\nc\n\nd", "a\n\nb1\n\nc")
    assert merge_roadmaps(*three, AGENT) == (*noted("a1\n\nb1\n\nc\n\nd"), ())


@pytest.mark.parametrize(
    "three",
    [
        ("a\n\nb", "a\n\nb1", "a\n\nb2"),
        ("a", "a\n\nb", "a\n\nc"),
        ("a\n\nb", "", "a\n\nb2"),
        (None, "a", "b"),
    ],
)
def test_changes_of_one_place_clash(three: tuple[str | None, str, str]) -> None:
    assert len(merge_roadmaps(*noted(*three), AGENT)[1]) == 1


def test_a_fenced_block_is_one_paragraph() -> None:
    three = noted("```\na\n\nb\n```", "```\na1\n\nb\n```", "```\na\n\nb1\n```")
    assert len(merge_roadmaps(*three, AGENT)[1]) == 1


def test_both_repeats_no_paragraph_that_the_sides_share() -> None:
    three = noted("a", "a\n\nb", "a\n\nc")
    assert merge_roadmaps(*three, policy("both"))[0] == noted("a\n\nb\n\nc")[0]


@pytest.mark.parametrize(
    ("name", "body"), [("ours", None), ("theirs", "b"), ("both", "b"), ("agent", None)]
)
def test_what_one_side_removed_and_the_other_changed_clashes(name: str, body: str | None) -> None:
    merged, clashes = merge_roadmaps(*noted("a", None, "b"), policy(name))
    assert merged == noted(body)[0]
    assert bool(clashes) == (name == "agent")


def test_a_section_that_one_side_removed_is_gone() -> None:
    assert merge_roadmaps(*noted("a", None, "a"), AGENT) == (Roadmap(), ())


def test_sections_are_one_whatever_their_case() -> None:
    merged, _ = merge_roadmaps(*noted("a"), *noted("b"), *noted("a", name="NOTES"), AGENT)
    assert merged == noted("b", name="NOTES")[0]


def test_huge_sections_clash_instead_of_being_aligned() -> None:
    many = "\n\n".join(["a"] * 2_000)
    assert len(merge_roadmaps(*noted(many, f"b\n\n{many}", f"{many}\n\nc"), AGENT)[1]) == 1


def test_a_policy_is_a_policy() -> None:
    decide: Policy = policy("both")
    assert decide(Clash("main.md", "main.md:purpose", None, "a", "b")) == "both"
