from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.learn.template import template
from agentctx.patterns import compiled


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("test_a (x.Y.test_a) ... ok", r"^\S+ +\S+ +\.{2,} +ok\s*$"),
        ("    Creating table auth_user", r"^\s*Creating +table +\S+\s*$"),
        ("tests/a.py::b PASSED [  3%]", r"^\S+ +PASSED +\S+ +\S+\s*$"),
        ("", ""),
        ("   ", ""),
        ("1 2 3", ""),
        ("a.b c.d", ""),
        (" ".join(["word"] * 30), ""),
    ],
)
def test_plain_words_stay_and_all_else_is_open(line: str, pattern: str) -> None:
    assert template(line) == pattern


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=60))
def test_a_line_fits_its_own_template(line: str) -> None:
    if pattern := template(line):
        if line.isascii():
            assert compiled(pattern).search(line) is not None
        assert compiled(pattern).search("") is None


def test_lines_of_one_kind_have_one_template_and_others_do_not_fit() -> None:
    one = template("check_1 (suite.part1) ... ok")
    assert one == template("check_2 (suite.part2) ... ok")
    for other in ("check_1 (suite.part1) ... FAIL", "check_1 (suite.part1) ... ok but slow"):
        assert compiled(one).search(other) is None
