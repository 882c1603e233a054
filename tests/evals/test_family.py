from __future__ import annotations

import pytest

from agentctx.evals.family import family, runs


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("pytest -q", "tests"),
        ("cd /repo && python -m pytest tests", "tests"),
        ("PYTHONPATH=. timeout 60 python3 -m unittest", "tests"),
        ("cd tests && ./runtests.py admin", "django tests"),
        ("cat setup.py && pytest", "tests"),
        ("pip install -e .", "install"),
        ("python reproduce.py 2>&1 | tail -5", "python"),
        ("cat <<'EOF' > fix.py\nimport pytest\npytest.main()\nEOF", "read"),
        ("git diff HEAD", "git diff"),
        ("git checkout -b x", "git"),
        ("grep -rn 'pytest; make' .", "search"),
        ("cat a.py | head", "read"),
        ("make -j2", "build"),
        ("mkdir x", "other"),
    ],
)
def test_a_command_belongs_to_a_family(command: str, name: str) -> None:
    assert family(command) == name


def test_native_tools_have_families_too() -> None:
    assert family("", "read_text_file") == "read"
    assert family("", "unheard_of") == "other"


def test_only_what_runs_reports_evidence() -> None:
    assert runs("pytest")
    assert not runs("cat error.log")
