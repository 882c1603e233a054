from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import MemoryStoreError
from agentctx.memory.merge import merge_words, policy
from agentctx.memory.records import Clash, Word

_words = st.lists(
    st.builds(
        lambda id, answered: Word(id=id, text=id, answered=answered),
        st.sampled_from("abcdef"),
        st.booleans(),
    ),
    max_size=5,
    unique_by=lambda word: word.id,
).map(tuple)


def said(text: str) -> tuple[Word, ...]:
    return tuple(
        Word(id=one[0], text=one[1:].strip("!"), answered=one.endswith("!")) for one in text.split()
    )


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("a", "a c", "a b", "a b c"),
        ("a b", "a! b", "a b!", "a! b!"),
        ("a1", "a1", "a2", "a2"),
        ("a1", "a3", "a2!", "a3!"),
        ("a!", "a!", "a", "a!"),
        ("a b", "b", "a b", "b"),
        ("a b", "b", "a! b", "a! b"),
        ("a", "", "", ""),
    ],
)
def test_words_are_merged_one_by_one(base: str, ours: str, theirs: str, merged: str) -> None:
    assert merge_words(said(base), said(ours), said(theirs)) == said(merged)


@given(_words, _words, _words)
def test_no_word_of_an_open_request_is_lost(
    base: tuple[Word, ...], ours: tuple[Word, ...], theirs: tuple[Word, ...]
) -> None:
    found = {word.id for word in merge_words(base, ours, theirs)}
    every = {word.id for word in (*ours, *theirs)}
    both = {word.id for word in ours} & {word.id for word in theirs}
    assert both | (every - {word.id for word in base}) <= found <= every


@given(_words, _words, _words)
def test_words_stand_in_the_order_in_which_they_were_said(
    base: tuple[Word, ...], ours: tuple[Word, ...], theirs: tuple[Word, ...]
) -> None:
    ids = [word.id for word in merge_words(base, ours, theirs)]
    assert ids == sorted(set(ids))


@given(_words, _words, _words)
def test_a_request_answered_on_one_side_is_never_open_again(
    base: tuple[Word, ...], ours: tuple[Word, ...], theirs: tuple[Word, ...]
) -> None:
    done = {word.id for word in (*ours, *theirs) if word.answered}
    assert all(word.answered for word in merge_words(base, ours, theirs) if word.id in done)


@given(_words, _words)
def test_what_one_side_did_is_taken_as_it_is(
    base: tuple[Word, ...], side: tuple[Word, ...]
) -> None:
    answered = {word.id for word in base if word.answered}
    side = tuple(
        replace(word, answered=word.answered or word.id in answered)
        for word in sorted(side, key=lambda word: word.id)
    )
    assert merge_words(base, base, side) == merge_words(base, side, base) == side
    assert merge_words(base, side, side) == side


def test_an_unknown_policy_says_those_that_there_are() -> None:
    with pytest.raises(
        MemoryStoreError, match="'mine' is no merge policy: use ours, theirs, both, agent"
    ):
        policy("mine")


def test_a_resolution_that_is_no_text_is_refused() -> None:
    with pytest.raises(MemoryStoreError, match="resolution of 'a:b' is no text: give ours"):
        policy("agent", {"a:b": 1})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("name", "answer"), [("ours", "ours"), ("theirs", "theirs"), ("both", "both"), ("agent", None)]
)
def test_a_policy_answers_what_no_resolution_settles(name: str, answer: str | None) -> None:
    decide = policy(name, {"a:b": "mine"})
    assert decide(Clash("a", "a:b", None, "1", "2")) == "mine"
    assert decide(Clash("a", "a:c", None, "1", "2")) == answer
