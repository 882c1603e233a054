from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agentctx.errors import ConfigError, DataError
from agentctx.evals import replay
from agentctx.evals.report import as_json, as_text
from agentctx.evals.results import PolicyResult, Results
from agentctx.evals.trajectory import HOST_PROMPT
from tests.evals.runs import mini, vorflux, write
from tests.shared import DATA, needs_shared

FAILURE = "ValueError: it broke in found_by_test\n"
LONG = "".join(f"{i:04d} an unremarkable line of output\n" for i in range(600))
STEPS = (
    ("python make.py", LONG + FAILURE + LONG),
    ("cat found_by_test", "x\n"),
    ("python make.py", LONG + FAILURE + LONG),
    ("echo done", "done\n"),
)


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    return [
        write(tmp_path / "a.jsonl", vorflux(*STEPS), vorflux(*STEPS, task="repo__2", run="2")),
        write(tmp_path / "b.jsonl", mini(*STEPS)),
    ]


def policy(results: Results, name: str) -> PolicyResult:
    return next(p for p in results.policies if p.policy == name)


def test_raw_is_the_measure_of_all_others(paths: list[Path]) -> None:
    results = replay.run(paths, ["raw"])
    raw = policy(results, "raw")
    assert results.runs == 3
    assert results.observations == 11  # text hosts never send the last result
    assert raw.dollars_vs_raw == 1.0
    assert raw.counts.reduction == 0.0
    assert raw.counts.evidence == 6
    assert raw.counts.uses == 3
    assert raw.spend.moved == 0
    assert raw.spend.dollars > 0


def test_a_cap_in_the_middle_loses_what_stood_there_and_pays_for_it(paths: list[Path]) -> None:
    cap = policy(replay.run(paths, ["host-cap"]), "host-cap")
    assert cap.counts.evidence_recall == 0.0
    assert cap.counts.future_use_recall == 0.0
    assert cap.counts.lost > 0
    assert cap.spend.retrievals == 3
    assert cap.counts.reduction > 0.5
    assert {(m.kind, m.text) for m in cap.misses} >= {
        ("evidence", FAILURE.strip()),
        ("future use", "found_by_test"),
    }


def test_agentctx_keeps_what_matters_and_every_law(paths: list[Path]) -> None:
    results = replay.run(paths, ["lossless", "agentctx", "random"])
    for name in ("lossless", "agentctx"):
        ours = policy(results, name)
        assert ours.counts.reduction > 0.3
        assert ours.counts.evidence_recall == 1.0
        assert ours.counts.future_use_recall == 1.0
        assert ours.counts.verbatim == 0
        assert ours.counts.lost == 0
        assert ours.counts.dangling == 0
        assert ours.counts.longer == 0
        assert ours.spend.moved == 0
        assert ours.touched == 0
    chance = policy(results, "random")
    assert chance.counts.lost > 0
    assert chance.counts.reduction == pytest.approx(
        policy(results, "agentctx").counts.reduction, abs=0.02
    )


def test_the_tool_is_paid_for_where_nothing_is_saved(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", vorflux(("echo a", "a\n")), mini(("echo a", "a\n")))
    ours = policy(replay.run([path], ["agentctx"]), "agentctx")
    assert all(line.prompt > line.prompt_raw for line in ours.lines)
    assert ours.worst_run > 1.0
    assert ours.runs_cheaper == 0.0


def stable(results: Results) -> Results:
    """Return the results without what a clock or the machine decides."""
    calm = [replace(p, latency_p50=0, latency_p99=0, peak_memory=0) for p in results.policies]
    return replace(results, policies=tuple(calm))


def test_results_depend_on_the_input_only(paths: list[Path]) -> None:
    names = ["raw", "agentctx", "random"]
    once = stable(replay.run(paths, names))
    assert stable(replay.run(paths, names)) == once
    assert stable(replay.run(paths, names, jobs=2)) == once


def test_progress_is_told_after_each_run(paths: list[Path]) -> None:
    told: list[tuple[int, int]] = []
    replay.run(paths, ["raw"], progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_broken_record_is_counted_and_the_rest_goes_on(paths: list[Path]) -> None:
    with paths[0].open("a", encoding="utf-8") as file:
        file.write('{"steps": 3}\n')
    results = replay.run(paths, ["raw"])
    assert (results.runs, results.skipped) == (3, 1)
    assert "record 2: skipped" in results.notes[0]
    assert "record 2: skipped" in as_text(results)


def test_files_without_any_trajectory_are_one_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"fixture": 1})
    with pytest.raises(DataError, match="no trajectory found") as caught:
        replay.run([path], ["raw"])
    assert "\n" not in str(caught.value)


def test_an_unknown_policy_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        replay.run([tmp_path / "none.jsonl"], ["nope"])


def test_the_report_is_json_with_the_promised_fields(paths: list[Path]) -> None:
    report = json.loads(json.dumps(as_json(replay.run(paths, ["raw", "agentctx"]))))
    ours = report["policies"][1]
    assert ours["policy"] == "agentctx"
    promised = {
        "reduction",
        "evidence_recall",
        "future_use_recall",
        "longer",
        "verbatim_violations",
        "dollars_vs_raw",
        "intervals",
        "latency_ms",
        "peak_memory",
        "by_source",
        "by_family",
    }
    assert promised <= ours.keys()
    assert set(ours["by_source"]) == {"mini-swe-agent", "vorflux-swe-benchmarks"}
    assert report["raw_check"]["calls"] == 4
    assert report["assumed_host_prompt"] == {
        "mini-swe-agent": 0,
        "vorflux-swe-benchmarks": HOST_PROMPT,
    }


def test_an_assumed_prompt_is_in_every_call_and_is_told(paths: list[Path]) -> None:
    without, given = (replay.run(paths, ["raw"], host_prompt=n) for n in (0, 1_000))
    more = policy(given, "raw").spend.prompt - policy(without, "raw").spend.prompt
    assert more == 1_000 * 10  # two native runs of five calls each
    assert "1000 tokens stand in" in as_text(given)
    assert "stand in" not in as_text(without)


def test_the_plain_report_names_every_policy(paths: list[Path]) -> None:
    text = as_text(replay.run(paths, ["raw", "mask"]))
    assert "raw" in text
    assert "mask" in text
    assert "uncalibrated" in text


def test_curves_and_examples_are_there_to_be_plotted(paths: list[Path]) -> None:
    ours = policy(replay.run(paths, ["agentctx"]), "agentctx")
    assert [point.call for point in ours.curve] == [0, 1, 2, 3, 4]
    assert ours.curve[0].runs == 3
    assert ours.curve[-1].runs == 2
    assert ours.curve[3].prompt < ours.curve[3].prompt_raw
    assert ours.examples
    assert all(e.tokens_after < e.tokens_before for e in ours.examples)
    assert sum(ours.by_step.values()) == pytest.approx(
        ours.counts.tokens_raw - ours.counts.tokens_out, abs=10
    )


@needs_shared
def test_a_slice_of_real_runs_tells_the_policies_apart(tmp_path: Path) -> None:
    from itertools import islice

    from agentctx.evals.load import records

    slices = []
    for source in sorted(DATA.glob("trajectories/*.gz")):
        path = tmp_path / source.name.removesuffix(".gz")
        lines = (record.line for record in islice(records([source]), 8, 10))
        path.write_text("".join(lines), encoding="utf-8")
        slices.append(path)
    results = replay.run(slices, ["raw", "agentctx", "random"])
    ours, chance = policy(results, "agentctx"), policy(results, "random")
    assert ours.counts.reduction > 0.1
    assert ours.counts.evidence_recall > chance.counts.evidence_recall + 0.02
    assert ours.counts.verbatim == ours.counts.lost == ours.counts.longer == 0
    assert ours.spend.moved == 0
    assert results.raw_check is not None
    assert abs(results.raw_check.error) < 0.03
