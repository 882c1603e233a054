from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from tests.cli.run import AGENTCTX, environment, run
from tests.terminal.rules.outputs import LOG

PACK = """\
[[rule]]
rule_id = "mine.noise"
trigger_regex = '^mytool\\b'
summary_header = "noise"
keep_first_n = 0
keep_last_n = 0
strip_patterns = ['^noise ']
[[rule.tests]]
command = "mytool run"
output = '''
%s
done'''
hidden = ["noise number 7 of this tool"]
shown = ["done"]
"""
NOISE = "\n".join(f"noise number {i} of this tool" for i in range(60))
OUTPUT = f"{NOISE}\ndone\n"


def agentctx(*args: str, folder: Path, given: str = "", **env: str) -> tuple[int, str, str]:
    """Run a command line in a project; return its status and what it printed."""
    done = run(
        [*AGENTCTX, *args],
        folder,
        env={**environment(folder, **env), "AGENTCTX_DATA": str(folder / ".agentctx")},
        input=given.encode(),
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_pack_of_ones_own_is_listed_tested_and_used(tmp_path: Path) -> None:
    folder = tmp_path / ".agentctx" / "rules"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(PACK % NOISE)
    listed = json.loads(agentctx("rules", "list", "--json", folder=tmp_path)[1])
    assert {"mine.noise", "pytest.passed"} <= {rule["rule_id"] for rule in listed}
    assert agentctx("rules", "test", folder=tmp_path)[0] == 0
    reduce = ("reduce", "--command", "mytool run")
    assert "60 of 61 lines hidden (noise)" in agentctx(*reduce, folder=tmp_path, given=OUTPUT)[1]
    off = agentctx(*reduce, folder=tmp_path, given=OUTPUT, AGENTCTX_RULES="off")
    assert off[:2] == (0, OUTPUT)


def test_a_rule_that_fails_its_test_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        PACK.replace('shown = ["done"]', 'shown = ["noise number 3 of this tool"]') % NOISE
    )
    status, shown, _ = agentctx("rules", "test", str(path), folder=tmp_path)
    assert status == 1
    assert "mine.noise: 'mytool run': 'noise number 3 of this tool' went" in shown


def test_a_bad_pack_is_one_line_and_stops_no_reduction(tmp_path: Path) -> None:
    folder = tmp_path / ".agentctx" / "rules"
    folder.mkdir(parents=True)
    (folder / "bad.toml").write_text("[[rule]]\nrule_id = 'x'\n")
    status, _, told = agentctx("rules", "list", folder=tmp_path)
    assert status == 1
    assert told.count("\n") == 1
    assert "bad.toml:1: a rule needs trigger_regex" in told
    reduce = ("reduce", "--command", "pytest -v")
    assert agentctx(*reduce, folder=tmp_path, given="hello\n")[:2] == (0, "hello\n")
    assert "(passing tests)" in agentctx(*reduce, folder=tmp_path, given=LOG)[1]


def test_a_rule_is_shown_with_what_it_does(tmp_path: Path) -> None:
    shown = agentctx("rules", "show", "pytest.passed", "--samples", folder=tmp_path)[1]
    assert "never the first 0 and the last 1 lines, nor evidence" in shown
    assert "+ [agentctx: " in shown
    status, _, told = agentctx("rules", "show", "nothing", folder=tmp_path)
    assert status == 1
    assert "no rule 'nothing': see agentctx rules list" in told


def test_too_little_teaches_nothing_and_says_so(tmp_path: Path) -> None:
    demo = str(files("agentctx") / "data" / "demo.jsonl.gz")
    status, shown, _ = agentctx("rules", "learn", demo, "--out", "learnt.toml", folder=tmp_path)
    assert status == 0
    assert "proposals became active, from " in " ".join(shown.split())
    assert agentctx("rules", "test", "learnt.toml", folder=tmp_path)[0] == 0
    found = json.loads(agentctx("rules", "learn", demo, "--json", folder=tmp_path)[1])
    assert found["outputs"] > 0
    assert all(lesson["why"] for lesson in found["lessons"])


def test_runs_that_cannot_be_read_are_one_line(tmp_path: Path) -> None:
    status, _, told = agentctx("rules", "learn", "none.jsonl", folder=tmp_path)
    assert status == 1
    assert told.count("\n") == 1
