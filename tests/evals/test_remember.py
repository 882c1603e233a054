"""Recorded runs cut anywhere, and the command that does it."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agentctx.cli import main
from agentctx.errors import DataError
from agentctx.evals import demo, remember
from agentctx.evals.load import load, records
from agentctx.evals.page import memory as page
from agentctx.evals.remember.killed import FORKS, in_a_killed_process
from agentctx.evals.remember.results import WAYS, Lived, gather
from agentctx.evals.trajectory import Trajectory
from agentctx.notes import recollection
from tests.evals.runs import trajectory, write
from tests.evals.runs import vorflux as record
from tests.shared import DATA, needs_shared

STEPS = tuple(
    (f"sed -n {n}p a.py && echo {n}", f"line {n} of a file\nand more of it\n") for n in range(24)
)


def calm(lived: Lived) -> Lived:
    """Return a life without what a clock decides: times, and the ids that are made of them."""
    cuts = (replace(c, seconds=0.0, told=replace(c.told, text="", tokens=0)) for c in lived.cuts)
    return replace(lived, cuts=tuple(cuts), seconds=())


@pytest.mark.parametrize("native", [True, False], ids=["tools", "text"])
def test_a_run_cut_in_every_way_comes_back(native: bool) -> None:
    lived = remember.live(trajectory(*STEPS, native=native), 2, 3)
    assert lived.error == ""
    assert [(cut.way, cut.faults) for cut in lived.cuts if cut.faults] == []
    assert Counter(cut.way for cut in lived.cuts) == dict.fromkeys(WAYS, 2)
    assert any(cut.in_flight for cut in lived.cuts) == native
    assert lived.moved == ()
    assert lived.due > 12


def test_a_command_that_printed_nothing_is_not_in_flight_any_more() -> None:
    lived = [remember.live(trajectory(*((c, "") for c, _ in STEPS)), 2, seed) for seed in range(3)]
    assert any(cut.in_flight for life in lived for cut in life.cuts)
    assert [cut.faults for life in lived for cut in life.cuts if cut.faults] == []


def test_a_request_too_long_to_be_shown_comes_back_by_its_id() -> None:
    run = trajectory(*STEPS)
    task = "\n".join(
        ["Never push.", *(f"line {n} of what is wanted, told at length" for n in range(900))]
    )
    lived = remember.live(replace(run, opening=({"role": "user", "content": task},)), 2, 3)
    assert [cut.faults for cut in lived.cuts if cut.faults] == []
    assert sum(cut.told.hidden for cut in lived.cuts) > 0


def test_the_same_seed_finds_the_same_and_another_cuts_elsewhere() -> None:
    run = trajectory(*STEPS)
    once = calm(remember.live(run, 1, 5))
    assert calm(remember.live(run, 1, 5)) == once
    assert {c.turn for c in remember.live(run, 1, 6).cuts} != {c.turn for c in once.cuts}


def test_every_way_cuts_as_often_as_asked_for_and_apart() -> None:
    planned = remember.plan(60, 3, Random(1))
    assert Counter(way for ways in planned.values() for way in ways) == dict.fromkeys(WAYS, 3)
    assert all(len(ways) == 1 for ways in planned.values())
    crowded = remember.plan(2, 2, Random(1))
    assert sum(map(len, crowded.values())) == 10
    assert set(crowded) == {1}


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        (lambda text: "", "words"),
        (lambda text: text.replace("tabs", "spaces"), "constraints"),
        (lambda text: text.replace("Next action: ", "Next: "), "next action"),
        (lambda text: text.replace("[end", f"{'more ' * 600}\n[end"), "tokens"),
        (lambda text: text.replace("Still to do:", "Still to do:\n- PART 1 OF THE WORK ON repo__1"),
         "reopened"),
    ],
)  # fmt: skip
def test_a_memory_that_forgets_is_caught(
    broken: Any, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = recollection.recollect
    monkeypatch.setattr(recollection, "recollect", lambda *a, **k: broken(whole(*a, **k)))
    found = gather([remember.live(trajectory(*STEPS), 2, seed) for seed in range(3)])
    assert not found.proven
    assert fault in {name for total in found.totals for name in total.faults}


@pytest.mark.skipif(not FORKS, reason="this system cannot fork")
def test_a_killed_process_closes_nothing_and_leaves_what_it_returned(tmp_path: Path) -> None:
    def work() -> bytes:
        (tmp_path / "there").write_text(str(os.getpid()))
        return b"done"

    assert in_a_killed_process(work) == b"done"
    assert (tmp_path / "there").read_text() != str(os.getpid())


@pytest.mark.skipif(not FORKS, reason="this system cannot fork")
def test_a_process_that_fails_before_it_is_killed_is_told(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(DataError, match="ended by itself"):
        in_a_killed_process(lambda: 1 // 0)  # type: ignore[arg-type,return-value]


def test_a_run_that_breaks_is_told_and_fails(tmp_path: Path) -> None:
    run: Trajectory = replace(trajectory(*STEPS), wire="no such wire")
    lived = remember.live(run, 1, 0)
    assert "no such wire" in lived.error
    assert not gather([lived]).proven


def test_the_command_tells_what_came_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "runs.jsonl", record(*STEPS), {"fixture": 1})
    html = tmp_path / "memory.html"
    arguments = ["eval", "memory", str(path), "--seed", "3", "--jobs", "1"]
    assert main([*arguments, "--html", str(html)]) == 0
    text = capsys.readouterr().out
    assert all(way in text for way in WAYS)
    assert "record 1: skipped" in text
    markup = html.read_text(encoding="utf-8")
    assert "nothing fell short" in markup
    assert main([*arguments, "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["proven"] is True
    assert [total["way"] for total in value["totals"]] == list(WAYS)
    assert all(total["cuts"] == 1 for total in value["totals"])


def test_the_command_fails_where_anything_fell_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recollection, "recollect", lambda *a, **k: "")
    path = write(tmp_path / "runs.jsonl", record(*STEPS))
    html = tmp_path / "memory.html"
    assert main(["eval", "memory", str(path), "--jobs", "1", "--html", str(html)]) == 1
    assert "✗ vorflux-swe-benchmarks/1" in capsys.readouterr().out
    assert "fell short" in html.read_text(encoding="utf-8")


def test_files_without_any_run_are_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "a.jsonl", {"fixture": 1})
    assert main(["eval", "memory", str(path), "--jobs", "1"]) == 1
    assert capfd.readouterr().err.count("\n") == 1


def test_several_processes_find_what_one_finds(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", record(*STEPS), record(*STEPS, task="repo__2", run="2"))
    one, two = (remember.run([path], 1, 2, jobs) for jobs in (1, 2))
    assert [t.next_right for t in one.totals] == [t.next_right for t in two.totals]
    assert (one.requests, one.commits) == (two.requests, two.commits)


def test_the_run_that_ships_comes_back() -> None:
    found = remember.run([demo.shipped()])
    assert found.proven
    assert "nothing fell short" in page.render(found)


@needs_shared
def test_a_slice_of_real_runs_comes_back() -> None:
    lives = []
    for source in sorted(DATA.glob("trajectories/*.gz")):
        found = (load(one).trajectory for one in islice(records([source]), 40, 43))
        lives += [remember.live(one, 1, 0) for one in found if one is not None]
    assert [(life.run, life.error) for life in lives if life.error] == []
    assert [(c.run, c.turn, c.way, c.faults) for life in lives for c in life.cuts if c.faults] == []
    assert [life.run for life in lives if life.moved] == []


@needs_shared
@pytest.mark.long
def test_all_recorded_runs_come_back() -> None:
    found = remember.run(sorted(DATA.glob("trajectories/*.gz")), jobs=os.cpu_count() or 1)
    assert found.proven, (found.errors, found.examples)
