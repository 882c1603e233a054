"""Where the large shared recordings lie, when they are there at all."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
DATA = SHARED / "data"

needs_shared = pytest.mark.skipif(
    not DATA.is_dir(), reason="the shared recordings (../shared/data) are not on this machine"
)
