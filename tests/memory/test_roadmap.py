from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentctx.memory.plan.roadmap import read, revised, same, ticked, write
from agentctx.memory.records import Item, Roadmap
from tests.memory.roadmaps import HARD, anything, texts

PAPER = """\
# Purpose

Make the parser pass its suite.

## Milestones

- [x] tokens are read
- [ ] the grammar is complete

## To-do

- [ ] fix the `if` rule
- [x] write the lexer

## Decisions

No parser generator.
"""

ROADMAP = Roadmap(
    purpose="Make the parser pass its suite.",
    milestones=(Item("tokens are read", True), Item("the grammar is complete")),
    todo=(Item("fix the `if` rule"), Item("write the lexer", True)),
    sections=(("Decisions", "No parser generator."),),
)


def todo(text: str) -> tuple[Item, ...]:
    return read(f"## To-do\n{text}").todo


def test_it_stands_in_the_file_as_in_the_paper() -> None:
    assert write(ROADMAP) == PAPER


def test_the_file_says_the_roadmap() -> None:
    assert read(PAPER) == ROADMAP


@given(anything)
@example(Roadmap(sections=(("", ""), ("\\", "\\"), ("TO DO", "- [ ] x"), ("???", ""))))
@example(Roadmap(todo=(Item(""), Item("a\n\n  - b\n \nc"), Item(" "), Item("[x] a", True))))
@example(Roadmap(purpose="```\n# a\n```\n```b\n# c", sections=(("a", "```\n"),)))
def test_what_is_written_is_read_back(roadmap: Roadmap) -> None:
    assert read(write(roadmap)) == roadmap


def words(text: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"&#\d+;", " ", text))


_hand = st.sampled_from(
    (
        *(
            "# Purpose",
            "## Milestones",
            "## To-do",
            "# todo",
            "## Notes",
            "### Phase 1",
            "- [x] one",
        ),
        *(
            "* [X] two",
            "  - [ ] three",
            "+ four",
            "1. five",
            "six",
            "  seven",
            "",
            "```",
            "~~~",
            "---",
        ),
        *(
            "\t- eight",
            "## Purpose:",
            "- ",
            "- [ ]",
            "#",
            "## nine",
            "TO-DO",
            "\\# ten",
            "> eleven",
        ),
    )
)


@given(st.lists(st.one_of(_hand, st.sampled_from(HARD), st.text(max_size=5)), max_size=14))
def test_nothing_that_people_wrote_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    headings = re.compile(
        r"^#{1,2}[ \t]+(purpose|milestones|to-?do)\W*$|^[ \t]*\d+[.)]", re.I | re.M
    )
    boxes = re.compile(r"^([ \t]*[-*+][ \t]+)\[[xX]\]", re.M)
    kept = words(write(read(text)))
    for word in set(words(boxes.sub(r"\1", headings.sub("", text)))):
        assert word in kept


@given(st.lists(_hand, max_size=14))
def test_what_was_read_is_written_the_same_ever_after(lines: list[str]) -> None:
    once = write(read("\n".join(lines)))
    assert write(read(once)) == once


@pytest.mark.parametrize(
    ("line", "item"),
    [
        ("- [ ] a", Item("a")),
        ("- [x] a", Item("a", True)),
        ("* [X]  a ", Item("a", True)),
        ("+ a", Item("a")),
        ("2) [x] a", Item("a", True)),
        ("a", Item("a")),
        ("- [x](https://example.org) a", Item("[x](https://example.org) a")),
        ("- [] a", Item("a")),
        ("-a", Item("-a")),
    ],
)
def test_every_bullet_is_an_item(line: str, item: Item) -> None:
    assert todo(line) == (item,)


def test_a_nested_bullet_without_a_box_is_as_done_as_what_it_belongs_to() -> None:
    found = todo("- [x] a\n  - b\n    - [ ] c\n      - d\n- e\n  - f")
    assert [item.text for item in found if item.done] == ["a", "b"]


def test_a_bullet_beside_one_that_is_done_is_open() -> None:
    assert todo("- [x] a\n- b") == (Item("a", True), Item("b"))


def test_lines_that_go_on_belong_to_their_item() -> None:
    assert todo("- [ ] a\nb\n  c\n\n  d\n\ne\nf") == (Item("a\nb\nc\n\nd"), Item("e"), Item("f"))


def test_rules_and_windows_line_ends_are_nothing() -> None:
    assert read("\ufeffWhy\r\n\r\n## TODO\r\n---\r\n- [x] a\r\n* * *\r\n") == Roadmap(
        purpose="Why", todo=(Item("a", True),)
    )


def test_headings_among_items_are_no_items() -> None:
    found = read("## Notes\nold\n## Milestones\n### Phase 1\n- [x] a\n### Phase 2\n- b")
    assert found.milestones == (Item("a", True), Item("b"))
    assert found.sections == (("Notes", "old\n\n### Phase 1\n\n### Phase 2"),)


def test_a_comment_in_a_fenced_block_is_no_heading() -> None:
    body = "```sh\n# install\nmake\n```"
    assert read(f"# Purpose\na\n## Setup\n{body}\n").sections == (("Setup", body),)


def test_what_a_section_begins_with_keeps_its_indentation() -> None:
    assert write(read("## Notes\n\n  - a\n    - b\n")).endswith("## Notes\n\n  - a\n    - b\n")


def test_a_fence_that_nothing_closes_hides_no_heading() -> None:
    assert read("```\n## To-do\n- a").todo == (Item("a"),)


def test_unknown_headings_are_sections_in_their_order() -> None:
    found = read("intro\n# Zebra\nz\n## Purpose\nmore\n## Ape\na")
    assert found == Roadmap(purpose="intro\n\nmore", sections=(("Zebra", "z"), ("Ape", "a")))


@pytest.mark.parametrize(
    "text",
    ["Fix the `if` rule.", "- [x] fix the if  rule", "1. FIX THE IF RULE!", "* `fix the if rule`"],
)
def test_case_space_markers_ticks_and_the_last_point_do_not_count(text: str) -> None:
    assert same(text) == same("fix the if rule")


@pytest.mark.parametrize(
    ("one", "other"), [("fix a", "fix b"), ("...", "!"), ("a-b", "a b"), ("", ".")]
)
def test_what_says_something_else_is_another_item(one: str, other: str) -> None:
    assert same(one) != same(other)


@given(texts)
def test_a_key_is_its_own_key(text: str) -> None:
    assert same(same(text)) == same(text) or not re.search(r"\w", text)


def test_ticking_finds_items_in_both_lists_and_adds_none() -> None:
    found = ticked(ROADMAP, ["The grammar is complete.", "fix the if rule", "sleep"])
    assert [item.done for item in (*found.milestones, *found.todo)] == [True] * 4


def test_a_revision_adds_what_is_not_there() -> None:
    found = revised(
        ROADMAP, milestones=["Tokens are read!"], todo=["Write the lexer", "test", "Test."]
    )
    assert found.milestones == ROADMAP.milestones
    assert found.todo == (*ROADMAP.todo, Item("test"))


def test_a_to_do_that_becomes_a_milestone_moves_and_stays_done() -> None:
    found = revised(ROADMAP, milestones=["Write the lexer"], todo=["the grammar is complete"])
    assert found.milestones == (*ROADMAP.milestones, Item("Write the lexer", True))
    assert found.todo == ROADMAP.todo[:1]


def test_done_wins_over_what_the_same_revision_adds() -> None:
    found = revised(Roadmap(), milestones=["[x] a", "b"], todo=["c", "d"], done=["c", "B"])
    assert found.milestones == (Item("a", True), Item("b", True))
    assert found.todo == (Item("c", True), Item("d"))


def test_nothing_is_no_item() -> None:
    assert revised(Roadmap(), milestones=[""], todo=[" ", "- [ ] "]) == Roadmap()


def test_sections_are_replaced_added_and_removed_by_name() -> None:
    found = revised(ROADMAP, purpose="b", sections={"decisions": "Two.", "Risks": "None."})
    assert found.purpose == "b"
    assert found.sections == (("Decisions", "Two."), ("Risks", "None."))
    assert revised(found, sections={"Decisions": None, "Else": None}).sections == (
        ("Risks", "None."),
    )


@given(anything, st.lists(texts, max_size=3), st.lists(texts, max_size=3))
def test_a_revision_loses_nothing_and_doubles_nothing(
    roadmap: Roadmap, milestones: list[str], to_do: list[str]
) -> None:
    found = revised(roadmap, milestones=milestones, todo=to_do)
    was = [same(item.text) for item in (*roadmap.milestones, *roadmap.todo)]
    keys = [same(item.text) for item in (*found.milestones, *found.todo)]
    assert set(was) <= set(keys)
    assert all(keys.count(key) <= max(1, was.count(key)) for key in keys)


@pytest.mark.parametrize(
    "piece",
    ["```\n", "```a\n", "````a\n```\n", "\n", "- [ ] a\n", "  ", "`", "- - ", "&#10;", "~~~\n"],
)
def test_a_hostile_file_is_read_in_linear_time(piece: str) -> None:
    text = f"## To-do\n{piece * 8_000}x\n## Notes\n{piece * 8_000}x"
    began = time.process_time()
    assert write(read(text)).endswith("x\n")
    assert time.process_time() - began < 3
