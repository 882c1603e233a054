"""The process that `resume` starts: prints the seconds that opening and recalling took."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from pkgutil import resolve_name

from benchmarks.memory.plan import SIDES


def main(name: str, folder: Path) -> None:
    """Open a side's history and recall."""
    kind = resolve_name(SIDES[name])
    begin = time.perf_counter()
    said = kind(folder).latest()
    seconds = time.perf_counter() - begin
    if not said:
        raise SystemExit(f"{name} recalled nothing")
    sys.stdout.write(f"{seconds}\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
