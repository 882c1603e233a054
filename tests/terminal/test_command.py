from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.terminal.command import Output, classify, expands, label


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("cat setup.py", Output.READ),
        ("cd src && sed -n 1,40p a.py", Output.READ),
        ("grep -rn x . | head -20", Output.READ),
        ("git -C repo diff HEAD~1", Output.READ),
        ("git log --oneline | cat", Output.READ),
        ("FOO=1 timeout 20 rg needle", Output.READ),
        ("find . -name '*.py' -not -path './x/*'", Output.READ),
        ("pytest -q", Output.RUN),
        ("pytest -q 2>&1 | tail -30", Output.RUN),
        ("cd x && python -m pytest", Output.RUN),
        ("git clone https://example.com/x", Output.RUN),
        ("cat a && make", Output.RUN),
        ("X='a,b' bin/test -C sympy 2>&1 | tail -80", Output.RUN),
        ("/usr/bin/cat a", Output.READ),
        ("for f in *.py; do python $f; done", Output.RUN),
        ("python - <<'EOF'\nprint('cat x')\nEOF", Output.RUN),
        ("cat > a.py <<'EOF'\nmake\nEOF\ncat a.py", Output.READ),
        ("cat <<'EOF' | python\nprint(1)\nEOF", Output.RUN),
        ("cat <<A <<B | make\na\nA\nb\nB", Output.RUN),
        ("echo 'unbalanced", Output.UNKNOWN),
        ("", Output.UNKNOWN),
    ],
)
def test_a_command_is_judged_by_all_its_stages(command: str, kind: Output) -> None:
    assert classify(command) is kind


@pytest.mark.parametrize(
    ("tool", "kind"),
    [("read_text_file", Output.READ), ("grep_search", Output.READ), ("deploy", Output.UNKNOWN)],
)
def test_without_a_command_the_name_of_the_tool_decides(tool: str, kind: Output) -> None:
    assert classify("", tool) is kind


@given(st.text(max_size=200))
def test_no_command_line_breaks_the_parser(command: str) -> None:
    assert classify(command) in Output
    assert "\n" not in label(command)
    expands(command)


def test_our_own_command_is_recognised_anywhere_in_a_line() -> None:
    assert expands("cd x && agentctx expand a1b2c3 --lines 1:20")
    assert not expands("echo agentctx")


def test_a_label_is_the_command_without_its_change_of_folder() -> None:
    assert label("cd /code/astropy && pytest -q") == "pytest -q"
    assert label("x" * 60) == "x" * 23 + "…"


@pytest.mark.parametrize(
    "command",
    [
        "".join(f"cout << value{i} << x;\n" for i in range(5_000)),
        "cat <<EOF\n" + "\n" * 100_000,
        "<<a\n" * 20_000,
    ],
)
def test_what_looks_like_a_heredoc_is_looked_at_once(command: str) -> None:
    begin = time.process_time()
    classify(command)
    assert time.process_time() - begin < 20  # minutes, if each sign were followed to the end


def test_a_heredoc_ends_at_its_own_word() -> None:
    assert classify("cat > a <<'EOF'\nmake\n<<X\nEOF\ncat a") is Output.READ
    assert classify("cat > a <<'EOF'\ncat b\nEOF\nmake") is Output.RUN
