"""What users complain of in tools that shorten output, each complaint as a test of its kind.

Named by where it was made. Those about exit codes, pipes, arguments and streaming are in
`tests/cli/test_exec_*.py`; about restored originals in `test_archive.py` and `test_tools.py`; about
terminals in `test_screen*.py`; about a stable prefix in `test_laws.py`.
"""

from __future__ import annotations

import json

import pytest

from agentctx.terminal.marker import is_marker
from agentctx.terminal.reduce import Limits, reduce
from agentctx.terminal.rules import pack
from agentctx.terminal.rules.book import Book
from agentctx.terminal.screen import screen
from agentctx.terminal.window import Window
from agentctx.tokens import counter
from agentctx.values import Observation, Reduction

COUNT = counter().count
BOOK = Book(pack.shipped())


def reduced(command: str, output: str, exit_code: int | None = None) -> Reduction:
    """Reduce as a session does, with all rules that ship."""
    return reduce(
        Observation(output=output, command=command, exit_code=exit_code),
        window=Window(),
        handle="a1b2c3",
        way="expand a1b2c3",
        count=COUNT,
        limits=Limits(),
        chosen=BOOK.chosen,
    )


def passing(count: int) -> str:
    return "\n".join(f"tests/test_a.py::test_{i} PASSED [{i % 101:3d}%]" for i in range(count))


def cargo(count: int) -> str:
    return "\n".join(f"   Compiling crate_number_{i} v1.{i}.0" for i in range(count))


def vitest(count: int) -> str:
    return "\n".join(f" ✓ src/part_{i}/thing.test.ts (3 tests) {i % 9}ms" for i in range(count))


def compiled(count: int) -> str:
    return "\n".join(f"gcc -O2 -Wall -c src/file_{i}.c -o build/file_{i}.o" for i in range(count))


FAILING = {
    "rtk #2317: pytest cannot import a test": (
        "python -m pytest -v",
        passing(400),
        """\
==================================== ERRORS ====================================
____________________ ERROR collecting tests/test_broken.py _____________________
ImportError while importing test module '/code/tests/test_broken.py'.
tests/test_broken.py:3: in <module>
E   ModuleNotFoundError: No module named 'frobnicate'
ERROR tests/test_broken.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
============================== 1 error in 0.31s ================================""",
    ),
    "rtk #2317: pytest is not installed": (
        "python -m pytest",
        passing(200),
        "/usr/bin/python: No module named pytest",
    ),
    "rtk #3220: tsc is not installed": (
        "npx tsc --noEmit",
        "\n".join(
            f"npm http fetch GET 200 https://registry.npmjs.org/package-{i}" for i in range(200)
        ),
        "                This is not the tsc command you are looking for\n"
        "npm error could not determine executable to run",
    ),
    "rtk PR #1294: outcomes other than passed": (
        "pytest -v",
        passing(300),
        "tests/test_a.py::test_x XPASS [ 99%]\n"
        "== 300 passed, 1 xfailed, 2 xpassed, 4 skipped, 5 deselected in 3.10s ==",
    ),
    "rtk #3935: a vitest suite does not load": (
        "npx vitest run",
        vitest(250),
        """\
 FAIL  src/broken.test.ts [ src/broken.test.ts ]
Error: Failed to resolve import "./missing" from "src/broken.test.ts". Does the file exist?
 Test Files  1 failed | 250 passed (251)
      Tests  750 passed (750)""",
    ),
    "rtk #3588: jest cannot compile a test": (
        "npx jest",
        "\n".join(f"PASS src/part_{i}/thing.test.js" for i in range(250)),
        """\
FAIL src/broken.test.js
  ● Test suite failed to run
    SyntaxError: /code/src/broken.test.js: Unexpected token (3:9)
Test Suites: 1 failed, 250 passed, 251 total
Tests:       250 passed, 250 total""",
    ),
    "rtk #2874: an error outside of all tests": (
        "npx vitest run",
        vitest(250),
        """\
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯
Vitest caught 1 unhandled error during the test run.
Error: boom while closing
 ❯ src/close.ts:3:9
     Errors  1 error""",
    ),
    "cube-harness PR #368: a compiler error far down": (
        "make -j8",
        compiled(300),
        """\
src/file_301.c:12:5: error: unknown type name 'u32'
make: *** [Makefile:14: build/file_301.o] Error 1""",
    ),
    "rtk #2317: cargo fails after compiling much": (
        "cargo test",
        cargo(300),
        """\
error[E0425]: cannot find value `x` in this scope
 --> src/lib.rs:4:5
error: could not compile `mine` (lib test) due to 1 previous error""",
    ),
}


@pytest.mark.parametrize("name", FAILING)
@pytest.mark.parametrize("place", ["last", "middle", "first"])
def test_what_failed_is_told_whole(name: str, place: str) -> None:
    command, noise, failure = FAILING[name]
    half = noise[: len(noise) // 2].rpartition("\n")[0]
    rest = noise[len(half) + 1 :]
    output = {
        "last": f"{noise}\n{failure}",
        "middle": f"{half}\n{failure}\n{rest}",
        "first": f"{failure}\n{noise}",
    }[place]
    made = reduced(command, output, exit_code=1)
    left = made.text.split("\n")
    assert [line for line in failure.split("\n") if line not in left] == []


def test_a_coloured_failure_is_seen_rtk_2960() -> None:
    end = "\x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m300 passed\x1b[0m\x1b[31m in 3.02s\x1b[0m"
    made = reduced("pytest -v", f"{passing(300)}\n{end}", exit_code=1)
    assert "1 failed, 300 passed in 3.02s" in made.text.split("\n")


def test_a_green_run_with_a_test_named_fail_gets_no_verdict_of_ours_rtk_3741() -> None:
    output = passing(300).replace("test_7 ", "test_FAIL_is_reported ") + "\n== 300 passed in 3s =="
    there = {line.text for line in screen(output)}
    left = reduced("pytest -v", output, exit_code=0).text.split("\n")
    assert [line for line in left if line not in there and not is_marker(line)] == []
    assert "== 300 passed in 3s ==" in left


def numbers(made: Reduction) -> int:
    """Return of how many raw lines the reader is told, by the line or by a marker's count."""
    return sum(span.last - span.first + 1 for span in made.spans)


@pytest.mark.parametrize("hunks", [60, 3_000])
def test_a_diff_is_whole_or_says_what_is_missing_rtk_827_3257(hunks: int) -> None:
    hunk = "@@ -{0},3 +{0},3 @@ def f_{0}():\n-    return {0}\n+    return {0} + 1\n     # {0}"
    output = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n" + "\n".join(
        hunk.format(i) for i in range(hunks)
    )
    made = reduced("git diff", output, exit_code=0)
    if hunks < 100:
        assert made.text == output
    else:
        assert made.text.strip()
        assert numbers(made) == output.count("\n") + 1
        assert "@@ -0,3 +0,3 @@ def f_0():" in made.text
        assert f"+    return {hunks - 1} + 1" in made.text


def test_a_log_keeps_every_commit_and_its_totals_rtk_2882_1704_2275() -> None:
    commit = "commit {0:040x}\nAuthor: A <a@b>\n\n    Change {0}\n\n a.py | 2 +-\n 1 file changed\n"
    output = "\n".join(commit.format(i) for i in range(50))
    assert reduced("git log --stat -50", output, exit_code=0).text == output


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("helm template ./chart", "  value_{0}: {{{{ .Values.a_{0} }}}}"),  # rtk #1626
        ("find / -name '*.py'", "/usr/lib/python3/part_{0}/module.py"),  # rtk #2271, #2110
        ("grep -rn needle .", "./src/file_{0}.py:{0}: needle and more"),  # headroom #1307
        ("env", "VARIABLE_{0}=value"),  # rtk #2271
        ("ls -R", "file_{0}.txt"),  # rtk #2271
    ],
)
def test_a_listing_stays_whole(command: str, line: str) -> None:
    output = "\n".join(line.format(i) for i in range(220))
    assert reduced(command, output, exit_code=0).text == output


def test_json_stays_json_with_all_its_keys_rtk_2139_headroom_3634() -> None:
    items = [{"name": f"n{i}", "tags": [i], "subtasks": []} for i in range(150)]
    output = json.dumps({"items": items}, indent=1)
    made = reduced("aws ec2 describe-instances --output json", output, exit_code=0)
    assert json.loads(made.text) == json.loads(output)


def test_a_small_output_is_never_touched_headroom_3590() -> None:
    output = "\n".join(f"-rw-r--r-- 1 me me 1760 Nov 30 09:26 file_{i}" for i in range(4))
    assert reduced("ls -la", output, exit_code=0).text == output


def test_counts_are_true_rtk_pr_833_headroom_2586() -> None:
    output = f"collected 300 items\n{passing(300)}\n== 300 passed in 3s =="
    made = reduced("pytest -v", output, exit_code=0)
    assert "[agentctx: 300 of 302 lines hidden (passing tests) · lines 2-301 · expand a1b2c3]" in (
        made.text.split("\n")
    )
    assert numbers(made) == 302


def test_wide_characters_are_never_cut_in_two_rtk_2509() -> None:
    made = reduced("python make.py", "漢字かな混じり文" * 30_000, exit_code=0)
    assert (
        made.text.split("\n")[0] == ("漢字かな混じり文" * 30_000)[: len(made.text.split("\n")[0])]
    )
    assert is_marker(made.text.split("\n")[1])


def test_foreign_markers_are_text_headroom_2836() -> None:
    foreign = "<<ccr:abc123 200 lines hidden>>"
    made = reduced("python run.py", f"{foreign}\n{compiled(5)}", exit_code=0)
    assert foreign in made.text.split("\n")


def test_a_pipe_that_asked_for_the_lines_gets_them_rtk_1560() -> None:
    output = passing(200)
    assert reduced("pytest -v | grep PASSED", output, exit_code=0).text == output
