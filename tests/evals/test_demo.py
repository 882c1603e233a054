from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from agentctx.cli import main
from agentctx.config import Settings
from agentctx.errors import DataError
from agentctx.evals import demo
from agentctx.evals.laws import laws
from agentctx.evals.ours import SessionArm
from agentctx.evals.play import Step, best
from agentctx.evals.proof import broken, prefix, prove
from agentctx.evals.remember.demo import ASIDES, PLAN
from agentctx.evals.results import Example
from tests.evals.runs import mini, trajectory, vorflux, write

LONG = "".join(f"{i:04d} an unremarkable line of output\n" for i in range(600))
STEPS = (("cat log", LONG), ("echo short", "short\n"), ("cat log", LONG), ("cat log", LONG))


@pytest.fixture
def arm() -> Iterator[SessionArm]:
    opened = SessionArm(trajectory(*STEPS), Settings())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def shipped() -> demo.Demo:
    return demo.run()


def test_the_run_that_ships_keeps_every_law(shipped: demo.Demo) -> None:
    assert [law.number for law in shipped.laws if not law.holds] == []
    assert shipped.proven


def test_the_run_that_ships_has_ten_examples_and_a_saving(shipped: demo.Demo) -> None:
    policies = shipped.played.results.policies
    assert len(best(shipped.played.observations, 10)) == 10
    assert policies[1].counts.reduction > 0.05
    assert policies[1].dollars_vs_raw < 1
    assert len(shipped.played.proofs) == len(shipped.played.observations) == 56


def test_the_run_that_ships_is_small_and_names_nobody() -> None:
    path = demo.shipped()
    text = gzip.decompress(path.read_bytes()).decode()
    assert path.stat().st_size < 150_000
    assert not re.search(r"[\w.+-]+@[\w-]+\.\w+", text)
    assert not re.search(r"(?i)\b(?:author|committer|signed-off-by): ", text)
    assert json.loads(text)["source"] == "vorflux-swe-benchmarks"


@pytest.mark.parametrize("record", [vorflux(*STEPS), mini(*STEPS)], ids=["tools", "text"])
def test_both_kinds_of_host_can_be_played(tmp_path: Path, record: dict[str, object]) -> None:
    told: list[Step] = []
    found = demo.run(write(tmp_path / "run.jsonl", record), tell=told.append)
    assert found.proven
    assert [step.number for step in told] == list(range(1, told[0].of + 1))
    assert told[-1].sent < told[-1].raw
    assert told[0].raw <= told[0].sent  # nothing is saved yet, and the tool's definition is there


def test_what_was_reduced_is_read_back_by_the_handle_of_its_marker(tmp_path: Path) -> None:
    found = demo.run(write(tmp_path / "run.jsonl", vorflux(*STEPS))).played
    again = [proof for proof in found.proofs if proof.handle]
    assert [found.observations[p.number].command for p in again] == ["cat log", "cat log"]
    assert all(f"expand {p.handle}]" in found.observations[p.number].after for p in again)
    assert all(p.size == len(LONG) for p in again)


def test_an_original_that_is_not_what_it_was_fails_the_proof(arm: SessionArm) -> None:
    archive = arm.session.stores.archive
    name = archive.put(LONG.encode())
    shown = _example(
        f"0000\n[agentctx: 599 of 600 lines hidden (middle) · lines 2-600 · expand {name[:6]}]"
    )
    assert [proof.equal for proof in prove([shown], arm)] == [True]
    for path in (path for path in archive.root.rglob("*") if path.is_file()):
        path.chmod(0o600)
        path.write_bytes(path.read_bytes()[:-9] + b"otherwise")
    assert [proof.equal for proof in prove([shown], arm)] == [False]


def test_an_output_that_was_changed_without_a_handle_fails_the_proof(arm: SessionArm) -> None:
    assert [proof.equal for proof in prove([_example("something else")], arm)] == [False]
    assert [proof.equal for proof in prove([_example(LONG)], arm)] == [True]


def test_a_moved_prefix_is_seen() -> None:
    first = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
    more = {**first, "messages": [*first["messages"], {"role": "assistant", "content": "b"}]}
    moved = {**more, "messages": [{"role": "user", "content": "c"}, *more["messages"]]}
    assert prefix([first, more]).holds
    assert not prefix([first, more, moved]).holds
    assert not prefix([first, {**more, "tools": [{"name": "t"}]}]).holds
    assert prefix([]).holds


def test_a_request_that_no_provider_would_take_is_counted() -> None:
    result = {"type": "tool_result", "tool_use_id": "none", "content": "x"}
    assert broken([{"messages": [{"role": "user", "content": [result]}]}], "anthropic") > 0


def test_one_broken_law_is_enough_to_fail(shipped: demo.Demo) -> None:
    played = shipped.played
    lost = (replace(played.proofs[0], equal=False), *played.proofs[1:])
    moved = replace(played.prefix, extended=played.prefix.extended - 1)
    for number, case in enumerate((replace(played, proofs=lost), replace(played, prefix=moved)), 1):
        found = laws(case)
        assert [law.number for law in found if not law.holds] == [number]
        assert not replace(shipped, laws=found).proven
    assert [law.number for law in laws(replace(played, broken=1)) if not law.holds] == [6]


def test_a_run_that_was_killed_comes_back_with_all_that_was_said(shipped: demo.Demo) -> None:
    revival, told = shipped.revival, shipped.revival.cut.told
    assert revival.cut.faults == ()
    assert revival.cut.form == ("SIGKILL" if hasattr(os, "fork") else "dropped")
    assert (revival.turn, revival.of) == (43, 56)
    assert (told.said, told.kept) == (4, 4)
    assert told.lines == told.lines_kept == 2
    assert told.next_action == told.planned == " ".join(revival.call.split())
    assert 100 < told.tokens <= 600
    for said in ASIDES:
        assert f"\n{said}\n" in told.text
    for finished in PLAN[:3]:
        assert f"“{finished}” · " in told.text
        assert f"- {finished}\n" not in told.text
    assert "- “run the tests of what uses it”\n" in told.text


def test_what_memory_fails_to_bring_back_fails_the_demo(shipped: demo.Demo) -> None:
    cut = shipped.revival.cut
    for told in (
        replace(cut.told, kept=cut.told.kept - 1),
        replace(cut.told, reopened=("find the cause",)),
        replace(cut.told, next_right=False),
        replace(cut.told, tokens=601),
    ):
        revival = replace(shipped.revival, cut=replace(cut, told=told))
        assert not replace(shipped, revival=revival).proven


def test_the_report_on_screen_says_what_matters(shipped: demo.Demo) -> None:
    console = Console(width=100, record=True, file=StringIO())
    console.print(demo.screen(shipped, Path("there.html")))
    text = console.export_text()
    for part in (
        *("input tokens", "read from the cache", "dollars", "Nothing is lost", "there.html"),
        *("Memory survives", "killed at turn 43", "4 of 4"),
        *("Rules give way", "of the next such output 0"),
    ):
        assert part in text


def test_the_command_writes_a_report_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.html"
    assert main(["demo", "--html", str(path), "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["proven"] is True
    assert len(value["proofs"]) == 56
    assert [policy["policy"] for policy in value["policies"]] == ["raw", "agentctx"]
    assert value["memory"]["holds"] is True
    markup = path.read_text(encoding="utf-8")
    assert markup.startswith("<!doctype html>")
    assert "Killed, and resumed by another session" in markup
    assert "Open request, in the user&#x27;s own words" in markup


def test_a_report_that_cannot_be_written_is_one_line_and_a_remedy(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--html", str(tmp_path / "none" / "report.html")]) == 1
    error = capfd.readouterr().err.strip()
    assert error.count("\n") == 0
    assert "--html" in error


@pytest.mark.parametrize("text", ["", "{}\n", "no json\n", '{"steps": 1}\n'])
def test_a_file_without_a_run_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(text)
    with pytest.raises(DataError, match=r"run\.jsonl"):
        demo.run(path)


def _example(after: str) -> Example:
    return Example(
        run="r", number=0, command="cat log", family="read", before=LONG, after=after,
        tokens_before=9, tokens_after=1,
    )  # fmt: skip


def test_a_rule_that_does_not_give_way_is_not_proven(shipped: demo.Demo) -> None:
    assert shipped.given.hidden > 10
    for wrong in ({"hidden": 0}, {"given_back": False}, {"hidden_then": 3}):
        assert not replace(shipped, given=replace(shipped.given, **wrong)).proven
