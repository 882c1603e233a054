from __future__ import annotations

from agentctx.learn.case import Case, Step, cases, strings
from agentctx.values import Observation


def ran(said: str, output: str = "") -> Step:
    return Step(said=said, observation=Observation(output=output, command=said))


def used(*steps: Step, opening: str = "") -> list[tuple[str, ...]]:
    return [case.used for case in cases("t", [opening], steps)]


def test_what_the_next_actions_name_was_used() -> None:
    found = used(ran("ls", "src/parser.py src/lexer.py"), ran("cat src/parser.py", "x"))
    assert found == [("src/parser.py",), ()]


def test_what_was_known_before_is_no_use() -> None:
    step = ran("ls", "src/parser.py")
    assert used(step, ran("cat src/parser.py"), opening="mend src/parser.py") == [(), ()]
    assert used(ran("cat src/parser.py", ""), step, ran("cat src/parser.py")) == [(), (), ()]


def test_what_is_named_later_than_the_fifth_action_is_no_use() -> None:
    steps = [ran("ls", "src/parser.py"), *[ran("true")] * 5, ran("cat src/parser.py")]
    assert used(*steps)[0] == ()
    assert used(*steps[:1], *steps[2:])[0] == ("src/parser.py",)


def test_only_specific_strings_count() -> None:
    text = "the parser of a.py at src/parser.py, ParserError 12345 in 1a2b3c4d, 123"
    assert strings(text) == {"src/parser.py", "ParserError", "12345", "1a2b3c4d"}


def test_a_step_without_a_result_is_no_case() -> None:
    assert [*cases("t", [], [Step(said="I think")])] == []
    [found] = cases("t", [], [ran("ls", "x")])
    assert found == Case(observation=Observation(output="x", command="ls"), task="t")
