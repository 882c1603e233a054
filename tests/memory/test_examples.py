"""The examples of memory, run as a reader would run them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("explore_two_fixes.py", "lessons: - fix/mean-of-ends: the ends are not the middle"),
        ("killed_and_resumed.py", "Next action: python3 -m pytest"),
    ],
)
def test_an_example_runs_as_it_stands(name: str, shown: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", ROOT / "examples" / name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert shown in done.stdout
