"""Real processes for the tests: what several of them do at once, and what a small disk does."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
from typing import Any

import pytest

from tests.shared import ROOT

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits and modes")


def _mounts() -> bool:
    tool = shutil.which("unshare")
    return bool(tool) and not subprocess.run([tool, "-rm", "true"], capture_output=True).returncode


mounts = pytest.mark.skipif(not _mounts(), reason="this user may not mount a small disk")


def start(script: str, *arguments: object, prefix: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """Start `script` in a new Python with `arguments` in `sys.argv`."""
    command = [*prefix, sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def finish(process: subprocess.Popen[str]) -> Any:
    """Wait for a process and return the JSON that it printed, None when it printed nothing."""
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return json.loads(out) if out.strip() else None


def run(script: str, *arguments: object, prefix: tuple[str, ...] = ()) -> Any:
    """Do as `start` and `finish`."""
    return finish(start(script, *arguments, prefix=prefix))


def together(count: int, script: str, *arguments: object) -> list[Any]:
    """Run `count` processes at once, each with its number as the last argument."""
    started = [start(script, *arguments, number) for number in range(count)]
    return [finish(process) for process in started]


def on_small_disk(script: str, size: str, *arguments: object) -> Any:
    """Run `script` with a disk of `size` mounted at `sys.argv[1]`, which only it can see."""
    mount = f'mount -t tmpfs -o size={size} small "$4" && exec "$@"'
    return run(script, *arguments, prefix=("unshare", "-rm", "sh", "-c", mount, "sh"))
