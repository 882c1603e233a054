from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory.records import Step, StepKind
from agentctx.notes.nudge import APART, STEPS, Pace, Reminder, line
from agentctx.values import Observation

RESULTS = st.lists(
    st.sampled_from(
        [("ls", "a.py"), ("pytest", "1 failed"), ("pytest", "2 passed"), ("make", "ok")]
    ),
    max_size=80,
)


@given(RESULTS)
def test_reminders_are_far_apart_and_told_from_the_journal_alone(
    results: list[tuple[str, str]],
) -> None:
    journal: list[Step] = []
    reminded: list[int] = []
    for number, (command, output) in enumerate(results, 1):
        came = Observation(output=output, command=command, exit_code=0)
        said = Reminder(Pace.of(journal), lambda: Pace.of(journal))(came)
        if said:
            assert said == line(number)
            reminded.append(number)
        shown = f"{output}\n{said}" if said else output
        journal.append(Step(id=str(number), observation=shown, action=command, exit_code=0))
    assert all(b - a >= APART for a, b in pairwise(reminded))
    if len(results) >= STEPS + APART:
        assert reminded


def test_a_commit_of_another_process_is_noticed() -> None:
    pace = Pace(steps=STEPS)
    assert Reminder(pace, lambda: pace)(Observation(output="x"))
    assert not Reminder(pace, lambda: Pace(steps=2))(Observation(output="x"))


def test_results_of_one_request_count_one_by_one() -> None:
    start = Pace(steps=STEPS - 2)
    reminder = Reminder(start, lambda: start)
    said = [reminder(Observation(output=f"{n}", command="ls")) for n in range(4)]
    assert [bool(text) for text in said] == [False, True, False, False]


def test_only_steps_count() -> None:
    kinds = (StepKind.USER, StepKind.CALL, StepKind.STEP, StepKind.ANSWER)
    assert Pace.of(Step(id=kind.value, kind=kind) for kind in kinds).steps == 1
