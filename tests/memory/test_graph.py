from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory.look.graph import draw, ordered


@dataclass(frozen=True)
class Point:
    hash: str
    parents: tuple[str, ...]
    at: float


def history(*commits):
    return {hash: Point(hash, tuple(parents), at) for at, (hash, parents) in enumerate(commits)}


def drawing(points):
    parents = {parent for one in points.values() for parent in one.parents}
    lines = draw(ordered([hash for hash in points if hash not in parents], points.__getitem__))
    return [(line.text, line.hash) for line in lines]


@st.composite
def histories(draw):
    commits = []
    for number in range(draw(st.integers(1, 14))):
        known = st.sampled_from([hash for hash, _ in commits] or [""])
        parents = draw(st.lists(known, max_size=3, unique=True)) if commits else []
        commits.append((f"c{number}", parents))
    return history(*commits)


def test_a_line_of_commits_is_a_line():
    points = history(("a", ""), ("b", "a"), ("c", "b"))
    assert drawing(points) == [("*", "c"), ("*", "b"), ("*", "a")]


def test_a_branch_that_was_merged_leaves_and_comes_back():
    points = history(("a", ""), ("b", "a"), ("c", "a"), ("d", "bc"))
    assert [text for text, _ in drawing(points)] == ["*", "|\\", "| *", "* |", "|/", "*"]


def test_a_branch_that_is_open_stands_beside():
    points = history(("a", ""), ("b", "a"), ("c", "a"))
    assert drawing(points) == [("*", "c"), ("| *", "b"), ("|/", ""), ("*", "a")]


def test_a_history_of_its_own_ends_without_a_line():
    points = history(("a", ""), ("x", ""), ("b", "a"), ("c", "b"))
    assert [text for text, _ in drawing(points)] == ["*", "*", "| *", "*"]


def test_far_strands_reach_over_those_between():
    points = history(("a", ""), ("x", ""), ("b", "a"), ("y", "x"), ("c", "a"))
    assert [text for text, _ in drawing(points)] == [
        "*",
        "| *",
        "| | *",
        "| * |",
        "|  /",
        "|/",
        "*",
    ]


@given(histories())
def test_every_commit_is_drawn_once_after_all_its_children(points):
    order = [hash for _, hash in drawing(points) if hash]
    assert sorted(order) == sorted(points)
    place = {hash: number for number, hash in enumerate(order)}
    assert all(place[p] > place[one.hash] for one in points.values() for p in one.parents)


@given(histories())
def test_every_strand_hangs_on_the_line_above(points):
    above = ""
    for text, hash in drawing(points):
        for column, character in enumerate(text):
            if character in "|\\/":
                assert _hangs(above, column, character), (above, text, hash)
        above = text


def _hangs(above, column, character):
    """Say whether something on the line above leads to this cell."""
    across = {"|": (-1, 0, 1), "/": (0, 1, 2), "\\": (-2, -1, 0)}[character]
    around = {above[column + by] for by in across if 0 <= column + by < len(above)}
    return bool(around & set("|*\\/_"))


@given(histories())
def test_a_line_ends_in_no_blank_and_a_commit_has_one_star(points):
    for text, hash in drawing(points):
        assert text == text.rstrip()
        assert text.count("*") == bool(hash)
