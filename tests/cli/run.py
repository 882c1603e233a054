"""Runs the command line as a real process, captured by a host (this process) through pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

AGENTCTX = [sys.executable, "-m", "agentctx"]
EXEC = [*AGENTCTX, "exec"]


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return an environment without settings of ours, whose data folder and pool are in `folder`."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("AGENTCTX_")}
    places = {"AGENTCTX_DATA": str(folder / "data"), "AGENTCTX_POOL_URL": str(folder / "pool.db")}
    return {**env, **places, **more}


def run(argv: list[str], folder: Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a command in `folder` and return what its host captured."""
    options.setdefault("env", environment(folder))
    options.setdefault("timeout", 60)
    return subprocess.run(argv, cwd=folder, capture_output=True, **options)
