"""The examples of the adapters, run as a reader would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT


def shown(name: str, folder: Path) -> str:
    env = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    env["MSWEA_GLOBAL_CONFIG_DIR"] = str(folder)
    done = subprocess.run(
        [sys.executable, "-W", "error", ROOT / "examples" / name],
        cwd=folder,
        env={**env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert not [each for each in folder.iterdir() if each.name.startswith(".agentctx")]
    return done.stdout


@pytest.mark.parametrize("name", ["langchain_agent.py", "mini_swe_agent_run.py"])
def test_the_example_mends_the_project_expands_and_says_what_was_saved(
    name: str, tmp_path: Path
) -> None:
    text = shown(name, tmp_path)
    assert re.search(r"^\[agentctx: \d+ of \d+ lines hidden", text, re.MULTILINE)
    assert re.search(r"^(--- tool: )?\d+:test_adds_250 .* FAIL$", text, re.MULTILINE)
    assert "\nOK\n" in text
    after, before = map(int, re.findall(r"took (\d+) tokens instead of (\d+)", text)[0])
    assert after < before / 2
