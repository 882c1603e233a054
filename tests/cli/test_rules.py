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


def in_pool(folder: Path, *args: str, **env: str) -> tuple[int, str, str]:
    """Run `agentctx rules …` with a pool in the folder."""
    return agentctx("rules", *args, folder=folder, AGENTCTX_POOL_URL=str(folder / "p.db"), **env)


def test_rules_go_into_a_pool_and_come_out_of_it(tmp_path: Path) -> None:
    pack = tmp_path / "mine.toml"
    pack.write_text(PACK % NOISE)
    status, shown, _ = in_pool(tmp_path, "import", str(pack))
    assert (status, shown) == (0, "1 rules imported as shadow\n")
    reduce = ("reduce", "--command", "mytool run")
    assert agentctx(*reduce, folder=tmp_path, given=OUTPUT)[1] == OUTPUT
    assert in_pool(tmp_path, "export")[1] == ""
    again = in_pool(tmp_path, "export", "--all")[1]
    assert "mine.noise" in again
    assert NOISE.splitlines()[7] in again


def test_a_trusted_import_is_used_until_it_is_retired(tmp_path: Path) -> None:
    pack = tmp_path / "mine.toml"
    pack.write_text(PACK % NOISE)
    assert in_pool(tmp_path, "import", str(pack), "--trust")[0] == 0
    reduce = ("reduce", "--command", "mytool run")
    assert "60 of 61 lines hidden (noise)" in agentctx(*reduce, folder=tmp_path, given=OUTPUT)[1]
    stats = json.loads(in_pool(tmp_path, "stats", "--model", "gpt-4o", "--json")[1])
    [mine] = [rule for rule in stats["rules"] if rule["rule_id"] == "mine.noise"]
    assert mine["outcome"]["applied"] == 1
    assert mine["outcome"]["saved"] > 300
    assert mine["dollars"] > 0
    why = in_pool(tmp_path, "show", "mine.noise", "--why")[1]
    assert f"became active: from {pack}" in why
    assert "mytool: 1 outputs" in why
    shown = json.loads(in_pool(tmp_path, "show", "mine.noise", "--json")[1])
    assert f"digest: {shown['why']['digest']}" in why
    assert in_pool(tmp_path, "retire", "mine.noise")[0] == 0
    assert agentctx(*reduce, folder=tmp_path, given=OUTPUT)[1] == OUTPUT
    told = json.loads(in_pool(tmp_path, "show", "mine.noise", "--json")[1])
    assert [change["why"] for change in told["why"]["changes"]] == [f"from {pack}", "by hand"]
    assert in_pool(tmp_path, "remove", "mine.noise")[0] == 0
    assert in_pool(tmp_path, "show", "mine.noise")[0] == 1


def test_one_that_ships_can_be_retired_and_taken_back(tmp_path: Path) -> None:
    assert in_pool(tmp_path, "retire", "pytest.passed")[0] == 0
    names = {rule["rule_id"] for rule in json.loads(in_pool(tmp_path, "list", "--json")[1])}
    assert "pytest.passed" not in names
    assert in_pool(tmp_path, "remove", "pytest.passed")[0] == 0
    names = {rule["rule_id"] for rule in json.loads(in_pool(tmp_path, "list", "--json")[1])}
    assert "pytest.passed" in names


def test_nothing_changes_in_a_frozen_pool(tmp_path: Path) -> None:
    assert in_pool(tmp_path, "freeze")[1] == "the pool is frozen\n"
    status, _, told = in_pool(tmp_path, "retire", "pytest.passed")
    assert (status, told.count("\n")) == (1, 1)
    assert "agentctx rules freeze --off" in told
    assert in_pool(tmp_path, "freeze", "--off")[0] == 0
    assert in_pool(tmp_path, "retire", "pytest.passed")[0] == 0


def test_sessions_that_evolve_are_learnt_from_on_request(tmp_path: Path) -> None:
    status, shown, _ = in_pool(tmp_path, "learn", "--json")
    assert (status, json.loads(shown)) == (0, {"outputs": 0, "steps": []})


def test_a_command_that_is_run_again_shows_what_was_hidden(tmp_path: Path) -> None:
    pack = tmp_path / "mine.toml"
    pack.write_text(PACK.replace("'^mytool", "'^sh ") % NOISE)
    in_pool(tmp_path, "import", str(pack), "--trust")
    (tmp_path / "mytool").write_text(f"cat <<'E'\n{OUTPUT}E\n")
    exec_ = ("exec", "--reduce", "--", "sh", "mytool")
    assert "60 of 61 lines hidden" in agentctx(*exec_, folder=tmp_path)[1]
    (tmp_path / "x.py").write_text("changed in between")
    assert "60 of 61 lines hidden" in agentctx(*exec_, folder=tmp_path)[1]
    assert agentctx(*exec_, folder=tmp_path)[1] == OUTPUT


def test_a_pool_of_tacos_comes_out_as_it_went_in(tmp_path: Path) -> None:
    rule = {
        "rule_id": "git_noise",
        "trigger_regex": "git (clone|fetch)",
        "description": "é",
        "keep_patterns": ["fatal"],
        "strip_patterns": ["Receiving objects"],
        "keep_first_n": 3,
        "keep_last_n": 5,
        "max_lines": None,
        "summary_header": None,
        "priority": 30,
        "confidence": 0.8,
        "times_applied": 10,
        "times_complained": 2,
    }
    odd = {**rule, "rule_id": "odd", "strip_patterns": ["(?=x)"]}
    path = tmp_path / "taco.json"
    path.write_text(json.dumps({"general": [rule, odd]}))
    status, shown, _ = in_pool(tmp_path, "import", str(path))
    assert status == 1
    assert "'odd': strip_patterns: '(?=x)'" in shown
    assert "1 rules imported as shadow" in shown
    exported = json.loads(in_pool(tmp_path, "export", "--all", "--taco")[1])
    assert exported == {"general": [rule]}


def test_each_rule_is_listed_on_a_line_of_its_own(tmp_path: Path) -> None:
    rules = json.loads(agentctx("rules", "list", "--json", folder=tmp_path)[1])
    for width in (80, 120):
        listed = agentctx("rules", "list", folder=tmp_path, COLUMNS=str(width))[1].splitlines()
        assert [line.split()[0] for line in listed] == ["rule", *(r["rule_id"] for r in rules)]
        assert max(map(len, listed)) <= width
    assert any("cargo build, b, check, " in line for line in listed)
    shown = agentctx("rules", "show", "cargo.steps", folder=tmp_path)[1]
    assert next(r["trigger_regex"] for r in rules if r["rule_id"] == "cargo.steps") in shown


def test_a_pattern_is_listed_as_it_is_and_not_as_markup(tmp_path: Path) -> None:
    folder = tmp_path / ".agentctx" / "rules"
    folder.mkdir(parents=True)
    text = (PACK % NOISE).replace("^mytool\\b", "^[/a]$")
    (folder / "mine.toml").write_text(text)
    status, listed, told = agentctx("rules", "list", folder=tmp_path)
    assert status == 0, told
    assert "^[/a]$" in listed


def test_what_looks_like_markup_is_text(tmp_path: Path) -> None:
    pack = tmp_path / "mine.toml"
    pack.write_text((PACK % NOISE).replace("mine.noise", "[/mine][bold]"))
    assert in_pool(tmp_path, "import", str(pack), "--trust")[0] == 0
    for command in ("list", "stats"):
        status, shown, told = in_pool(tmp_path, command, COLUMNS="200")
        assert (status, told) == (0, "")
        assert "[/mine][bold]" in shown
