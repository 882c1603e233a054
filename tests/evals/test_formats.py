from __future__ import annotations

import pytest

from agentctx.errors import DataError
from agentctx.evals.formats import parse
from tests.evals.runs import mini, vorflux


def test_a_step_becomes_a_turn_with_call_and_result() -> None:
    turn = parse(vorflux(("ls -la", "a\nb\n"))).turns[0]
    assert turn.command == "ls -la"
    assert turn.call is not None
    assert turn.call.name == "bash_execute"
    assert turn.seen is not None
    assert (turn.seen.text, turn.seen.exit_code) == ("a\nb\n", 0)


@pytest.mark.parametrize(
    ("out", "err", "seen"),
    [("a\n", "b\n", "a\nb\n"), ("a", "b", "a\nb"), ("", "b", "b"), ("a", "", "a"), ("", "", "")],
)
def test_standard_error_follows_standard_output_on_a_line_of_its_own(
    out: str, err: str, seen: str
) -> None:
    record = vorflux(("make", out))
    record["steps"][0]["stderr"] = err
    result = parse(record).turns[0].seen
    assert result is not None
    assert result.text == seen


def test_a_result_in_a_user_message_is_parted_from_the_words_around_it() -> None:
    record = mini(("ls", "a\nb\n"))
    turn = parse(record).turns[0]
    assert turn.seen is not None
    assert turn.seen.text == "a\nb\n"
    whole = turn.seen.before + turn.seen.text + turn.seen.after
    assert whole == record["messages"][3]["content"]
    assert turn.command == "ls"


def test_an_output_that_the_host_had_cut_is_one_result_and_marked() -> None:
    record = mini(("cat big", ""))
    record["messages"][3]["content"] = (
        "<returncode>1</returncode>\n<warning>\ntoo long\n</warning><output_head>\nhead\n"
        "</output_head>\n<elided_chars>\n7 characters elided\n</elided_chars>\n<output_tail>\n"
        "tail\n</output_tail>"
    )
    seen = parse(record).turns[0].seen
    assert seen is not None
    assert seen.cut
    assert seen.exit_code == 1
    assert seen.text.startswith("head\n")
    assert seen.text.endswith("\ntail")
    assert seen.before + seen.text + seen.after == record["messages"][3]["content"]


def test_the_output_of_a_command_that_timed_out_is_a_result() -> None:
    record = mini(("sleep 9", ""))
    record["messages"][3]["content"] = (
        "The last command <command>sleep 9</command> timed out and has been killed.\n"
        "The output of the command was:\n <output>\nhalf\n</output>\nPlease try another."
    )
    seen = parse(record).turns[0].seen
    assert seen is not None
    assert seen.text == "half\n"
    assert seen.exit_code is None


def test_a_complaint_of_the_host_stays_a_note() -> None:
    record = mini(("ls", ""))
    record["messages"][3]["content"] = "Please always provide EXACTLY ONE action."
    turn = parse(record).turns[0]
    assert turn.seen is None
    assert turn.call is None
    assert turn.note == "Please always provide EXACTLY ONE action."


def test_recorded_usage_is_kept() -> None:
    recorded = parse(mini(("ls", "a\n"), prompt=123)).turns[0].recorded
    assert recorded is not None
    assert (recorded.prompt, recorded.cached, recorded.completion) == (123, 0, 10)


@pytest.mark.parametrize("record", [{}, {"steps": 3}, {"messages": [{"role": "assistant"}]}])
def test_a_record_of_another_kind_is_named_as_such(record: dict[str, object]) -> None:
    with pytest.raises(DataError) as caught:
        parse(record)
    assert "\n" not in str(caught.value)
