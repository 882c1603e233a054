from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory.merge import merge_metadata, policy
from agentctx.memory.records import Clash, Metadata
from agentctx.memory.texts import dump, load

AGENT = policy("agent")

_scalars = st.one_of(
    st.booleans(),
    st.integers(-1, 2),
    st.sampled_from((0.0, 1.0, 3.1)),
    st.sampled_from(("", "a", "1", "3.10", "true", "null", '"a"', "[1]", "ours", "both", "a.b")),
)
_values = st.recursive(
    st.one_of(_scalars, st.lists(_scalars, max_size=3)),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from(("a", "b", "a.b", "", "ü", "x-y")), inner, max_size=3),
        st.lists(inner, max_size=2),
    ),
    max_leaves=6,
)
segments = st.dictionaries(st.sampled_from(("a", "b", "c", "a.b")), _values, max_size=4)
THREE = st.tuples(segments, segments, segments)


def merged(base: Metadata, ours: Metadata, theirs: Metadata, name: str = "agent") -> Any:
    found, clashes = merge_metadata("env_config", base, ours, theirs, policy(name))
    return found if not clashes else [clash.item for clash in clashes]


def exact(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "found"),
    [
        ({"a": 1}, {"a": 2}, {"a": 1, "b": 3}, {"a": 2, "b": 3}),
        ({"a": 1, "b": 2}, {"b": 2}, {"a": 1, "b": 2}, {"b": 2}),
        ({"a": {"b": 1, "c": 1}}, {"a": {"b": 2, "c": 1}}, {"a": {"b": 1}}, {"a": {"b": 2}}),
        ({}, {"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ({"a": 1}, {"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ({}, {"a": 1}, {"a": 1}, {"a": 1}),
        ({"a": ["x", "y"]}, {"a": ["y", "z"]}, {"a": ["x", "y", "w"]}, {"a": ["y", "z", "w"]}),
        ({"a": ["x"]}, {"a": ["x"]}, {"a": ["w", "x"]}, {"a": ["w", "x"]}),
        ({}, {"a": ["x"]}, {"a": ["y"]}, {"a": ["x", "y"]}),
        ({"a": 1}, {"a": None}, {"a": 1}, {}),
        ({"a": [{"x": 1, "y": 2}]}, {"a": [{"y": 2, "x": 1}]}, {"a": 3}, {"a": 3}),
        ({"a": 1}, {"a": 2}, {"a": 3}, ["env_config:a"]),
        ({"a": 1}, {"a": 1.0}, {"a": True}, ["env_config:a"]),
        ({"a": 1}, {}, {"a": 2}, ["env_config:a"]),
        ({"a": {"b": 1}}, {}, {"a": {"b": 2}}, ["env_config:a"]),
        ({}, {"a": {"b": 1}}, {"a": {"b": 2}}, ["env_config:a.b"]),
        ({"a": ["x"]}, {"a": ["x", "x"]}, {"a": ["y"]}, ["env_config:a"]),
        ({"a": [{}]}, {"a": [{"b": 1}]}, {"a": [{"b": 2}]}, ["env_config:a"]),
        ({}, {"a.b": 1, "a": {"b": 1}}, {"a.b": 2, "a": {"b": 2}}, None),
    ],
)
def test_keys_are_merged_one_by_one(base: Any, ours: Any, theirs: Any, found: Any) -> None:
    expected = found if found is not None else ['env_config:"a.b"', "env_config:a.b"]
    assert exact(merged(base, ours, theirs)) == exact(expected)


def test_the_file_keeps_the_order_of_its_keys() -> None:
    ours, theirs = {"z": 1, "a": 2}, {"z": 1, "m": 3, "a": 2}
    assert list(merged({}, ours, theirs)) == ["z", "a", "m"]


@given(THREE)
def test_the_same_on_both_sides_is_taken_as_it_is(three: tuple[Metadata, ...]) -> None:
    base, side, _ = three
    assert exact(merged(base, side, side)) == exact(side)


@given(THREE)
def test_what_one_side_did_is_taken_as_it_is(three: tuple[Metadata, ...]) -> None:
    base, side, _ = three
    assert exact(merged(base, base, side)) == exact(side)
    assert exact(merged(base, side, base)) == exact(side)


def leaves(value: Any) -> Any:
    """A segment in which the order of a list's elements counts for nothing."""
    if isinstance(value, dict):
        return {key: leaves(one) for key, one in value.items()}
    return sorted(map(exact, value)) if isinstance(value, list) else value


@given(THREE)
def test_the_sides_may_change_places(three: tuple[Metadata, ...]) -> None:
    base, ours, theirs = three
    one, clashes = merge_metadata("a", base, ours, theirs, AGENT)
    other, swapped = merge_metadata("a", base, theirs, ours, AGENT)
    assert {clash.item for clash in clashes} == {clash.item for clash in swapped}
    if not clashes:
        assert exact(leaves(one)) == exact(leaves(other))


@given(THREE, st.sampled_from(("ours", "theirs", "both")))
def test_no_policy_but_the_agents_leaves_a_clash(three: tuple[Metadata, ...], name: str) -> None:
    found, clashes = merge_metadata("a", *three, policy(name))  # type: ignore[misc]
    assert clashes == ()
    assert load(dump(found)) == found


@given(THREE, st.sampled_from(("ours", "theirs", "both", "my own text", "{}")))
def test_the_agent_settles_all_clashes_in_one_call(
    three: tuple[Metadata, ...], answer: str
) -> None:
    base, ours, theirs = three
    clashes = merge_metadata("a", base, ours, theirs, AGENT)[1]
    answers = {clash.item: answer for clash in clashes}
    assert len(answers) == len(clashes)
    assert merge_metadata("a", base, ours, theirs, policy("agent", answers))[1] == ()


@given(THREE)
def test_the_text_that_a_clash_shows_is_the_value_when_given_back(
    three: tuple[Metadata, ...],
) -> None:
    base, ours, theirs = three
    clashes = merge_metadata("a", base, ours, theirs, AGENT)[1]
    for side in ("ours", "theirs"):
        answers = {c.item: text for c in clashes if (text := getattr(c, side)) is not None}
        words = {c.item: side for c in clashes if c.item in answers}
        found, expected = (
            merge_metadata("a", base, ours, theirs, policy("ours", given))[0]
            for given in (answers, words)
        )
        assert exact(found) == exact(expected)


def test_a_clash_names_the_file_and_the_key_and_shows_the_values() -> None:
    base = {"python": {"version": 3.11}}
    ours, theirs = {"python": {"version": "3.12"}}, {"python": {"version": ["3.13"]}}
    assert merge_metadata("env_config", base, ours, theirs, AGENT)[1] == (
        Clash(
            "metadata/env_config.yaml", "env_config:python.version", "3.11", '"3.12"', '["3.13"]'
        ),
    )


def test_a_value_that_is_the_name_of_a_side_is_shown_quoted() -> None:
    clashes = merge_metadata("a", {}, {"k": "theirs"}, {"k": "both"}, AGENT)[1]
    assert clashes == (Clash("metadata/a.yaml", "a:k", None, '"theirs"', '"both"'),)


@pytest.mark.parametrize(
    ("ours", "theirs", "answer", "value"),
    [
        ("a", "b", "both", ["a", "b"]),
        (["a", "a"], "b", "both", ["a", "b"]),
        (None, "b", "both", "b"),
        ("a", None, "ours", "a"),
        ("a", None, "theirs", None),
        (1, 2, "3", 3),
        (1, 2, "three", "three"),
        (1, 2, "null", None),
        ("3.9", "3.11", "3.10", "3.10"),
        ("3.9", "3.11", '"3.10"', "3.10"),
        ("a", "b", '["c"]', ["c"]),
        ("a", "b", "null", "null"),
    ],
)
def test_a_resolution_says_what_the_value_is(
    ours: Any, theirs: Any, answer: str, value: Any
) -> None:
    resolved = policy("agent", {"a:k": answer})
    found, clashes = merge_metadata("a", {"k": 0}, {"k": ours}, {"k": theirs}, resolved)
    assert exact(found) == exact({"k": value} if value is not None else {})
    assert not clashes
