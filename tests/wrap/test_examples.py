from __future__ import annotations

import subprocess
import sys

import pytest

from tests.shared import ROOT

ENDINGS = {
    "own_loop.py": ["hidden", "running test_450 in suite 2 ... ok", "Only test_901 failed."],
    "sdk_anthropic.py": ["One look. All packages are here.", "package-451 ... done"],
    "sdk_openai.py": ["All 900 modules compiled.", "451:compiling module_451.c"],
}


@pytest.mark.parametrize("name", ENDINGS)
def test_an_example_runs_as_it_stands(name, tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name)],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for line in ENDINGS[name]:
        assert line in done.stdout
    assert list(tmp_path.iterdir()) == []
