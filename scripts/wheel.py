"""The litellm wheel, read as a zip file and never installed: the source of prices and vocabularies."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DATA = Path(__file__).parent.parent / "agentctx" / "data"


@contextmanager
def litellm() -> Iterator[zipfile.ZipFile]:
    """Yield the newest wheel, downloaded with pip and without its dependencies."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*pip, "-d", folder, "litellm"], check=True)
        with zipfile.ZipFile(next(Path(folder).glob("litellm-*.whl"))) as wheel:
            yield wheel


def version(wheel: zipfile.ZipFile) -> str:
    """Return the wheel's version, from the name of its metadata folder."""
    info = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return info.split("/")[0].removeprefix("litellm-").removesuffix(".dist-info")
