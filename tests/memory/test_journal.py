from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory import ids
from agentctx.memory.records import Step, StepKind
from agentctx.memory.store import lines
from agentctx.memory.store.journal import Journal
from agentctx.values import Trust
from tests.memory.losing import Power
from tests.memory.storage import step
from tests.processes import posix, together

WRITER = """
    import json, sys
    from pathlib import Path
    from agentctx.memory.store.journal import Journal
    from tests.memory.storage import step
    journal = Journal(Path(sys.argv[1]))
    for number in range(int(sys.argv[2])):
        journal.append(step(f"{sys.argv[3]} {number} " + "x" * 5_000))
        if number % 20 == 10:
            journal.trim(journal.end()[:1] + (0,))
    print(json.dumps(journal.end()[0]))
"""

STEPS = st.builds(
    Step,
    id=st.builds(ids.new),
    kind=st.sampled_from(StepKind),
    observation=st.text(st.characters(), max_size=60) | st.just('{"crc":"'),
    thought=st.text(max_size=9),
    action=st.just("a\nb\r\u2028\0"),
    exit_code=st.none() | st.integers(-1, 300),
    trust=st.sampled_from(Trust),
    branch=st.just("main"),
)


def opened(folder: Path) -> Journal:
    return Journal(folder / "journal" / "main.jsonl")


def bad(journal: Journal) -> int:
    return sum(not line.value for line in lines.scan(journal.path.read_bytes()))


def seen(journal: Journal, *marks: tuple[str, int] | None) -> list[str]:
    return [one.observation for one in journal.read(*marks)]


@given(steps=st.lists(STEPS, max_size=6))
def test_steps_are_read_as_they_were_appended(tmp_path: Path, steps: list[Step]) -> None:
    journal = opened(tmp_path)
    start = journal.end()
    for one in steps:
        journal.append(one)
    assert journal.read(start) == steps
    journal.close()
    again = opened(tmp_path)
    assert again.read(start) == steps
    assert bad(again) == 0
    again.close()


def test_marks_tell_what_lies_between(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    marks = [journal.end()]
    for text in "abc":
        journal.append(step(text))
        marks.append(journal.end())
    assert seen(journal) == ["a", "b", "c"]
    assert seen(journal, marks[1]) == ["b", "c"]
    assert seen(journal, marks[1], marks[2]) == ["b"]
    assert seen(journal, None, marks[2]) == ["a", "b"]
    assert seen(journal, marks[3]) == []
    assert seen(journal, ("another", 10**6)) == ["a", "b", "c"]


def test_trimming_leaves_what_is_not_sealed(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.append(step("sealed " + "x" * 10_000))
    mark = journal.end()
    journal.append(step("live"))
    size = journal.path.stat().st_size
    assert journal.trim(mark)
    assert seen(journal) == seen(journal, mark) == ["live"]
    assert journal.path.stat().st_size < size - 10_000
    journal.append(step("later"))
    assert not journal.trim(mark)  # a mark of the file before
    assert seen(journal, mark) == ["live", "later"]
    assert journal.trim(journal.end())
    assert seen(journal) == []


@posix
def test_nobody_takes_out_what_others_may_be_writing(tmp_path: Path) -> None:
    one, two = opened(tmp_path), opened(tmp_path)
    one.append(step("a"))
    two.append(step("b"))
    assert one.end() == two.end()
    assert not one.trim(one.end())
    two.close()
    assert one.trim(one.end())
    two.append(step("c"))
    one.append(step("d"))
    assert seen(one) == seen(two) == ["c", "d"]


@pytest.mark.parametrize("torn", [b"{half", b'{"crc":"12345678","id":"x', b"\0" * 300])
def test_a_torn_end_is_dropped_when_it_is_opened(tmp_path: Path, torn: bytes) -> None:
    journal = opened(tmp_path)
    journal.append(step("a"))
    journal.close()
    with journal.path.open("ab") as file:
        file.write(torn)
    again = opened(tmp_path)
    assert seen(again) == ["a"]
    assert bad(again) == (os.name != "posix")
    again.append(step("b"))
    assert seen(again) == ["a", "b"]
    assert torn not in again.path.read_bytes()


@posix
def test_a_torn_line_between_those_of_others_hides_none(tmp_path: Path) -> None:
    one, two = opened(tmp_path), opened(tmp_path)
    one.append(step("a"))
    two.append(step("b"))
    with one.path.open("ab") as file:
        file.write(b'{"crc":"1234')  # a third one died here
    mark = one.end()
    two.append(step("c"))
    assert seen(one) == ["a", "b", "c"]
    assert bad(one) == 1
    assert seen(one, mark) == ["c"]


def test_a_file_of_zeros_or_nothing_is_an_empty_journal(tmp_path: Path) -> None:
    for number, content in enumerate([b"", b"\0" * 70_000, b"\n\n", b"hello\n"]):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(content)
        journal = Journal(path)
        assert seen(journal) == []
        journal.append(step("a"))
        mark = journal.end()
        journal.append(step("b"))
        journal.close()
        assert seen(Journal(path), mark) == ["b"]
        assert seen(Journal(path)) == ["a", "b"]


def test_what_stands_before_a_mark_that_is_stored_is_durable(tmp_path: Path) -> None:
    disk = Power()
    journal = Journal(tmp_path / "main.jsonl", disk=disk)
    for text in "ab":
        journal.append(step(text))
        assert disk.durable.get(journal.path.stat().st_ino, 0) < journal.path.stat().st_size
    calls = disk.count
    mark = journal.end()
    assert disk.count == calls
    assert journal.seal() == mark
    assert disk.durable[journal.path.stat().st_ino] == mark[1]
    calls = disk.count
    assert journal.seal() == mark
    assert disk.count == calls


@posix
def test_processes_append_and_trim_at_once(tmp_path: Path) -> None:
    path = tmp_path / "main.jsonl"
    generations = together(4, WRITER, path, 50)
    journal = Journal(path)
    texts = [text[:-5_001] for text in seen(journal)]
    assert sorted(texts) == sorted(f"{n} {t}" for n in range(4) for t in range(50))
    for number in range(4):
        mine = [text for text in texts if text.startswith(f"{number} ")]
        assert mine == [f"{number} {turn}" for turn in range(50)]
    assert bad(journal) == 0
    assert journal.end()[0] in generations


def test_steps_of_a_newer_version_are_left_alone(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.append(step("a"))
    with journal.path.open("ab") as file:
        file.write(lines.encode({"id": "x", "kind": "dream"}))
        file.write(lines.encode({"id": "x", "observation": "b", "colour": "red"}))
    assert seen(journal) == ["a", "b"]
    assert bad(journal) == 0


@pytest.mark.long
def test_appending_takes_as_long_after_100_000_steps(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    times = []
    one = step("x" * 500)
    for _ in range(100_000):
        begin = time.perf_counter()
        journal.append(one)
        times.append(time.perf_counter() - begin)
    early, late = statistics.median(times[2_000:4_000]), statistics.median(times[-2_000:])
    assert late < 3 * early
    assert late < 0.001
