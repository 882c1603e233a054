from __future__ import annotations

from pathlib import Path

import pytest

from agentctx.errors import RuleError
from agentctx.terminal.rules import pack

GOOD = """\
[[rule]]
rule_id = "a.b"
trigger_regex = '^make\\b'
strip_patterns = ['^ok ']
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_pack_is_read_in_its_order(tmp_path: Path) -> None:
    found = pack.load(written(tmp_path, GOOD + GOOD.replace("a.b", "a.a")))
    assert [rule.rule_id for rule in found] == ["a.b", "a.a"]
    assert found[0].keep_first_n == 5
    assert found[0].keep_last_n == 10


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("[[rule]\n", "", "not valid TOML"),
        ("name = 1\n" + GOOD, "", "more than rules"),
        (GOOD + GOOD, ":5:", "there twice: rename one"),
        (GOOD + "colour = 3\n", ":1:", "no field 'colour': use one of rule_id"),
        ("\n\n[[rule]]\nrule_id = 'x'\n", ":3:", "needs trigger_regex"),
        (GOOD + "keep_first_n = 'two'\n", ":1:", "keep_first_n = 'two': use a whole number"),
        (GOOD + "priority = true\n", ":1:", "use a whole number"),
        (GOOD + "confidence = 7\n", ":1:", "from 0 to 1"),
        (GOOD + "keep_patterns = 'x'\n", ":1:", "use a list of texts"),
        (GOOD + "status = 'live'\n", ":1:", "use one of candidate, shadow, active, retired"),
        (GOOD + "exit_codes = ['1']\n", ":1:", "use a whole number"),
        (GOOD + "tests = 3\n", ":1:", r"write \[\[rule.tests\]\]"),
        (GOOD + "[[rule.tests]]\nfile = '../x'\n", ":1:", "name a file in samples/"),
        (GOOD.replace("^ok ", "(?<=x)ok"), ":1:", "strip_patterns: .* not an RE2 pattern"),
        ("rule = 3\n", "", "more than rules"),
        ("rule = [3]\n", "", "no table"),
    ],
)
def test_a_bad_pack_is_refused_with_file_line_reason_and_remedy(
    tmp_path: Path, text: str, place: str, reason: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(RuleError, match=reason) as raised:
        pack.load(path)
    assert str(raised.value).startswith(f"{path}{place}")
    assert "\n" not in str(raised.value)


def test_a_pack_that_is_not_there_or_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="No such file"):
        pack.load(tmp_path / "none.toml")
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (pack.LARGEST + 1))
    with pytest.raises(RuleError, match="split it"):
        pack.load(large)


def test_a_test_may_name_an_output_beside_the_pack(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD + "[[rule.tests]]\ncommand = 'make'\nfile = 'out.txt'\n")
    [rule] = pack.load(path)
    with pytest.raises(RuleError, match="No such file"):
        pack.with_outputs(rule, path)
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "out.txt").write_bytes(b"ok 1\r\n\xff\n")
    assert pack.with_outputs(rule, path).tests[0].output == "ok 1\r\n\ufffd\n"


def test_own_packs_replace_shipped_rules_and_bad_ones_are_told(tmp_path: Path) -> None:
    shipped = pack.shipped()[0]
    written(tmp_path, GOOD.replace("a.b", shipped.rule_id))
    (tmp_path / "bad.toml").write_text("[[rule]]\n")
    told: list[RuleError] = []
    found = {rule.rule_id: rule for rule in pack.known(tmp_path, told.append)}
    assert found[shipped.rule_id].trigger_regex == r"^make\b"
    assert len(found) == len(pack.shipped())
    assert [str(error).partition(":")[0] for error in told] == [str(tmp_path / "bad.toml")]


def test_shipped_rules_have_one_name_each() -> None:
    names = [rule.rule_id for rule in pack.shipped()]
    assert len(set(names)) == len(names) > 0
