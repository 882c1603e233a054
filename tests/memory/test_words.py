from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory.records import Step, Word
from agentctx.memory.state.constraints import standing
from agentctx.memory.state.words import fold
from tests.memory.states import answer, said, step


def texts(words: tuple[Word, ...]) -> list[tuple[str, bool]]:
    return [(word.text, word.answered) for word in words]


def test_a_message_becomes_a_word_with_its_id_and_its_bytes() -> None:
    message = said("  Fix it,\r\nplease \n", session="a")
    assert fold((), [message]) == (
        Word(id=message.id, text="  Fix it,\r\nplease \n", session="a", answered=False),
    )


def test_an_answer_answers_every_word_before_it_and_none_behind() -> None:
    words = fold((), [said("one"), step("ls"), said("two"), answer(), said("three")])
    assert texts(words) == [("one", True), ("two", True), ("three", False)]


def test_history_sent_again_amid_a_request_adds_nothing() -> None:
    words = fold((), [said("one"), answer(), said("two"), step("ls")])
    again = fold(words, [said("one"), said("two"), step("pwd")])
    assert again == words


def test_an_answered_message_is_not_obeyed_again_when_history_comes_with_a_new_one() -> None:
    words = fold((), [said("one"), answer(), said("two"), answer()])
    again = fold(words, [said("one"), said("two"), said("three")])
    assert texts(again) == [("one", True), ("two", True), ("three", False)]


def test_continue_is_new_after_an_answer_and_only_there() -> None:
    steps = [said("build it"), answer(), said("continue"), said("continue"), step("ls")]
    words = fold((), steps)
    assert [word.text for word in words] == ["build it", "continue"]
    words = fold(words, [said("continue"), answer(), said("continue")])
    assert texts(words) == [("build it", True), ("continue", True), ("continue", False)]


def test_yes_typed_twice_after_an_answer_is_open_once() -> None:
    words = fold((), [said("yes"), answer()])
    assert texts(fold(words, [said("yes"), said("yes")])) == [("yes", True), ("yes", False)]


def test_a_request_sent_again_by_the_session_that_resumes_it_is_the_same_request() -> None:
    words = fold((), [said("build it", session="a"), step("ls")])
    assert fold(words, [said("build it", session="b")]) == words


def test_another_session_may_ask_the_same_again() -> None:
    words = fold((), [said("run the nightly check", session="a"), answer()])
    again = fold(words, [said("run the nightly check", session="b")])
    assert texts(again) == [("run the nightly check", True), ("run the nightly check", False)]


def test_a_blank_message_is_none() -> None:
    assert fold((), [said(" \n")]) == ()


def test_the_end_of_a_request_drops_what_was_answered_but_no_constraint_of_the_session() -> None:
    steps = [said("Hello"), answer(), said("Never touch migrations/"), answer(), said("Fix it")]
    words = fold(fold((), steps), [], finished=True)
    assert texts(words) == [("Never touch migrations/", True), ("Fix it", True)]


def test_constraints_of_an_earlier_session_end_with_the_next_request() -> None:
    old = fold((), [said("Never touch migrations/", session="a"), answer()], finished=True)
    assert len(old) == 1
    assert fold(old, [said("Fix it", session="b"), answer()], finished=True) == ()


STEPS = st.lists(
    st.one_of(
        st.sampled_from(["yes", "continue", "do X", "no, do Y instead"]).map(said),
        st.text(min_size=1).filter(str.strip).map(said),
        st.just(None).map(lambda _: answer()),
        st.just(None).map(lambda _: step("ls")),
    ),
    max_size=12,
)


@given(STEPS)
def test_no_message_is_lost_and_none_before_an_answer_is_open(steps: list[Step]) -> None:
    words = fold((), steps)
    heard = [one for one in steps if one.kind == "user"]
    assert {word.text for word in words} == {one.observation for one in heard}
    answers = [number for number, one in enumerate(steps) if one.kind == "answer"]
    before = {one.id for one in steps[: answers[-1] if answers else 0]}
    assert all(word.answered == (word.id in before) for word in words)


@given(STEPS)
def test_steps_folded_again_change_nothing(steps: list[Step]) -> None:
    words = fold((), steps)
    heard = [one for one in steps if one.kind == "user"]
    assert fold(words, heard) == words or len({one.observation for one in heard}) == 1


def test_standing_lines_are_found_in_the_ways_that_people_write_them() -> None:
    for line in (
        "- MODIFY only regular source files",
        "Do not change the public API",
        "please don't add dependencies",
        "please don’t add dependencies",
        "You must run the tests before each commit.",
        "NEVER push to main",
        "Always answer in German",
        "Use tabs",
        "It's slow. Keep the old behaviour for Python 3.8.",
        "no, do X instead",
        "2. Leave setup.py as it is",
        "Actually, the other file",
        "stop",
    ):
        assert standing(f"Hello\n{line}\nBye") == (line,), line


def test_a_description_is_no_constraint() -> None:
    text = "I use Python 3.11.\nThe parser fails on empty input.\nIt can't find the file.\n"
    assert standing(text) == ()


def test_code_between_fences_is_none_but_behind_an_unclosed_fence_all_counts() -> None:
    assert standing("```\n# must not be None\n```\nNever push") == ("Never push",)
    assert standing("```\nNever push") == ("Never push",)


def test_a_constraint_goes_on_over_its_list_and_its_wrapped_line() -> None:
    text = "Never touch these:\n- a.py\n- b.py\n\nHello\n- c.py\nDo not rename\nthe public classes.\nBye"
    assert standing(text) == (
        "Never touch these:",
        "- a.py",
        "- b.py",
        "Do not rename",
        "the public classes.",
    )
