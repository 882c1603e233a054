from __future__ import annotations

import re

import pytest

from agentctx.terminal.marker import handles, is_marker
from agentctx.terminal.reduce import Limits, reduce, shown
from agentctx.terminal.window import Window
from agentctx.tokens import counter
from agentctx.values import Observation, Reduction, content_id

COUNT = counter().count
FILE = "\n".join(f"    value_{i} = compute_{i * 7}(argument_{i})" for i in range(60))


def run(output: str, command: str = "", window: Window | None = None, **limits: int) -> Reduction:
    return reduce(
        Observation(output=output, command=command),
        window=Window() if window is None else window,
        handle="a1b2c3",
        way="expand a1b2c3",
        count=COUNT,
        limits=Limits(**limits),
    )


def seen(*outputs: str) -> Window:
    window = Window()
    for text in outputs:
        window.add(shown(content_id(text), "cat a.py", text))
    return window


def hidden_lines(text: str) -> int:
    return sum(int(n) for n in re.findall(r"\[agentctx: (\d+) of \d+ lines hidden", text))


def test_a_file_read_again_becomes_a_reference() -> None:
    made = run(FILE, "cat a.py", seen(FILE, "other"))
    assert made.text == (
        "[agentctx: 60 of 60 lines hidden (shown 2 results back by cat a.py, lines 1-60)"
        " · lines 1-60 · expand a1b2c3]"
    )
    assert made.rules == ("echo",)


def test_a_changed_file_shows_its_changed_lines_between_references() -> None:
    changed = FILE.replace("compute_210(argument_30)", "compute_211(argument_30)")
    made = run(changed, "cat a.py", seen(FILE))
    assert [line for line in made.text.split("\n") if not is_marker(line)] == [
        "    value_30 = compute_211(argument_30)"
    ]
    assert hidden_lines(made.text) == 59


def test_moved_line_numbers_are_still_the_same_lines() -> None:
    numbered = "\n".join(f"{i + 1:6}\t{line}" for i, line in enumerate(FILE.split("\n")))
    moved = "\n".join(f"{i + 4:6}\t{line}" for i, line in enumerate(FILE.split("\n")))
    made = run(moved, "cat -n a.py", seen(numbered))
    assert "numbers now +3" in made.text
    assert hidden_lines(made.text) == 60


def test_lines_in_another_order_are_no_echo() -> None:
    backwards = "\n".join(reversed(FILE.split("\n")))
    assert run(backwards, "cat a.py", seen(FILE)).text == backwards


def test_hidden_lines_are_no_target_of_a_later_reference() -> None:
    window = seen(FILE)
    first = run(FILE, "cat a.py", window)
    window.add(shown("x", "cat a.py", first.text, first.spans))
    again = run(FILE, "cat a.py", window)
    assert "shown 2 results back" in again.text


def test_failures_of_a_second_run_are_shown_again() -> None:
    log = FILE + "\nE   AssertionError: 1 != 2\nFAILED tests/test_a.py::test_b\n" + FILE
    made = run(log, "pytest", seen(log))
    assert "E   AssertionError: 1 != 2\nFAILED tests/test_a.py::test_b\n" in made.text
    assert hidden_lines(made.text) == 120


def test_repeated_lines_are_counted_truly() -> None:
    made = run("start\n" + "waiting for the server to come up\n" * 300 + "up", "./wait.sh")
    assert made.text == (
        "start\nwaiting for the server to come up\n"
        "[agentctx: 299 of 302 lines hidden (repeat the line before) · lines 3-301"
        " · expand a1b2c3]\nup"
    )


def test_a_block_that_stands_further_up_is_named_by_its_lines() -> None:
    made = run(f"first\n{FILE}\nbetween\n{FILE}\nlast", "./twice")
    assert "(same as lines 2-61)" in made.text
    assert made.text.count("compute_7(") == 1


def test_long_logs_keep_head_tail_and_evidence() -> None:
    lines = [f"step {i}: compiled module_{i * 31}" for i in range(3000)]
    lines[1500] = "src/a.c:10:5: error: 'x' undeclared"
    made = run("\n".join(lines), "make", run=1000)
    shown_lines = made.text.split("\n")
    assert shown_lines[0] == lines[0]
    assert shown_lines[-1] == lines[-1]
    assert lines[1500] in shown_lines
    assert made.tokens_after < 1200
    assert hidden_lines(made.text) == 3000 - sum(not is_marker(line) for line in shown_lines)


def test_a_traceback_survives_the_budget_whole() -> None:
    noise = [f"step {i}: compiled module_{i * 31}" for i in range(2000)]
    trace = [
        "Traceback (most recent call last):",
        '  File "a.py", line 3, in <module>',
        "    main(1, 2)",
        "    ~~~~^^^^^^",
        "ValueError: no",
    ]
    made = run("\n".join([*noise[:900], *trace, *noise[900:]]), "python a.py", run=1000)
    assert "\n".join(trace) in made.text


def test_data_is_never_cut_in_the_middle_below_the_large_cap() -> None:
    listing = "\n".join(f"src/module_{i}/file_{i * 13}.py" for i in range(1500))
    assert run(listing, "find . -name '*.py'", run=1000).text == listing


def test_json_counts_as_data_whatever_printed_it() -> None:
    array = "[" + ",\n".join(f'{{"id": {i}, "name": "n{i * 17}"}}' for i in range(500)) + "]"
    assert run(array, "./dump", run=1000).text == array


def test_one_endless_line_is_cut_on_a_character() -> None:
    made = run("é" * 100_000, "./minify", run=1000)
    part, mark = made.text.split("\n")
    assert part == "é" * len(part)
    assert f"[agentctx: {100_000 - len(part)} of 100000 characters of line 1 hidden" in mark
    assert is_marker(mark)


def test_progress_bars_show_their_last_frame() -> None:
    bar = "".join(f"\rDownloading {i:3}% {'#' * (i // 2)}" for i in range(101))
    made = run(f"start{bar}\nSuccessfully installed x\n", "pip install x")
    assert made.text.split("\n")[-2:] == ["Successfully installed x", ""]
    assert made.rules == ("screen",)


def glued(label: str, between: str = "") -> str:
    frames = [f"{label}{i:4}% ({i * 20}/2000)" for i in range(101)]
    return "Cloning into 'x'...\n" + "".join(frames[:50]) + between + "".join(frames[50:])


def test_glued_progress_frames_are_counted_as_one_line() -> None:
    made = run(glued("Updating files:"), "git clone x")
    assert made.text == (
        "Cloning into 'x'...\n[agentctx: 1 of 2 lines hidden (progress) · line 2 · expand a1b2c3]"
    )


def test_an_error_between_glued_frames_is_kept() -> None:
    text = glued("Updating files:", "error: failed to encode 'a.inc'")
    assert run(text, "git clone x").text == text


@pytest.mark.parametrize("output", ["", "ok\n", "x" * 500, "\x00", "\ud800" * 3])
def test_short_or_odd_outputs_stay_as_they_are(output: str) -> None:
    assert run(output).text == output


def test_spans_cover_every_line_of_the_original_in_order() -> None:
    made = run(f"{FILE}\n{FILE}\nend", "./twice", seen(FILE))
    covered = [n for span in made.spans for n in range(span.first, span.last + 1)]
    assert covered == list(range(1, 122))
    assert len(made.spans) == len(made.text.split("\n"))


def test_markers_tell_their_handles_once() -> None:
    made = run(f"first\n{FILE}\nbetween\n{FILE}\nlast", "./twice", seen(FILE))
    assert handles(made.text) == ("a1b2c3",)


@pytest.mark.parametrize("end", ["", "\n"])
def test_what_follows_the_last_line_end_is_no_hidden_line(end: str) -> None:
    text = "\n\n".join(["a line that is printed again and again"] * 60) + end
    made = run(text, "make")
    assert "118 of 119 lines hidden" not in made.text
    assert f"116 of {119} lines hidden (repeat the 2 lines before) · lines 3-118" in made.text
    assert made.text.endswith(f"again{end}")


def test_the_range_of_a_marker_holds_what_it_hides_when_rows_were_drawn_upwards() -> None:
    rows = [f"\x1b[{20 - i};1Hrow {20 - i} shows the very same words as before" for i in range(20)]
    before = "\n".join(row.split("H", 1)[1] for row in reversed(rows))
    made = run("\n".join(rows) + "\x1b[30;1H", "make", seen(before))
    assert "20 of 20 lines hidden" in made.text
    assert "lines 1-20 · expand" in made.text


@pytest.mark.parametrize("start", ["[", '{"a":'])
def test_what_nests_too_deep_for_a_parser_is_reduced_as_any_text(start: str) -> None:
    text = start * 20_000 + "\n" + "one more line of it\n" * 300
    assert run(text, "make").handle
