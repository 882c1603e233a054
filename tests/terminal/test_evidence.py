from __future__ import annotations

import pytest

from agentctx.terminal.evidence import evidence
from agentctx.terminal.lines import split


def kept(text: str) -> list[str]:
    lines = split(text)
    return [line.text for line, keep in zip(lines, evidence(lines), strict=True) if keep]


def test_a_quote_that_is_never_closed_on_its_line_swallows_no_error() -> None:
    assert kept('File "a.py\nerror: bad\nmore", line 3\nend') == ["error: bad"]


def test_the_place_of_a_frame_is_kept() -> None:
    assert kept('x\n  File "a b.py", line 3, in f\ny') == ['  File "a b.py", line 3, in f']


@pytest.mark.parametrize(
    "line",
    [
        "  ✓ handles error (2 ms)",
        "    √ fails without a name",
        "a.b.ErrorTest > handlesError() PASSED",
        "ok 3 - handles error",
        "    ok 12 - warning is shown",
        "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.01 s -- in x.ErrorTest",
        "> Task :core:compileJava UP-TO-DATE",
        "npm http fetch GET 200 https://registry.npmjs.org/http-errors 12ms (cache hit)",
        "➤ YN0013: │ a@npm:1.0 can't be found in the cache and will be fetched from the remote registry",
    ],
)
def test_what_went_well_is_no_evidence_whatever_its_name_says(line: str) -> None:
    assert kept(f"x\n{line}\ny") == []


@pytest.mark.parametrize(
    "line",
    [
        "  ✕ handles error (2 ms)",
        "✓ built in 1.2s",
        "    ✓ 3 passed, ✗ 1 failed",
        "    ✓ done with 2 errors",
        "> Task :compileJava",
        "a.b.ErrorTest > handlesError() FAILED",
        "not ok 3 - handles error",
        "ok 3 - handles error # SKIP no network",
        "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.01 s -- in x.ErrorTest",
        "[INFO] Tests run: 24, Failures: 0, Errors: 0, Skipped: 0",
        "> Task :core:compileJava FAILED",
        "npm http fetch GET 404 https://registry.npmjs.org/http-errors 12ms",
        "ok  \texample.com/pkg\t0.01s",
    ],
)
def test_what_looks_alike_and_is_evidence_stays(line: str) -> None:
    assert kept(f"x\n{line}\ny") == [line]
