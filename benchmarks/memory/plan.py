"""How much is measured, where, and with which sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType

from benchmarks.memory.side import Side

OURS, CONTEXA = "agentctx", "contexa"
INDEX, TWO_FILES = "GitPython index API", "GitPython index API, two files"
CLI, SYNCED = "git CLI", "git CLI, core.fsync=all"

SIDES = MappingProxyType(
    {
        OURS: "benchmarks.memory.ours:Ours",
        CONTEXA: "benchmarks.memory.contexa_side:Contexa",
        INDEX: "benchmarks.memory.git_sides:GitPythonIndex",
        TWO_FILES: "benchmarks.memory.git_sides:GitPythonNewest",
        CLI: "benchmarks.memory.git_sides:GitCli",
        SYNCED: "benchmarks.memory.git_sides:GitCliSynced",
    }
)
MISSING = "" if find_spec(CONTEXA) else "contexa is left out: pip install contexa"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Sizes of one run; `seconds` bound what one side may take in one case."""

    steps: tuple[int, ...] = (100, 4_000, 100_000)
    commits: tuple[int, ...] = (1, 1_000, 10_000)
    rounds: int = 100
    seconds: float = 8.0
    grown: tuple[int, ...] = (300, 2_000)
    resumed: int = 7


QUICK = Scale(commits=(1, 1_000), rounds=20, seconds=2.0, grown=(300,), resumed=3)


def installed(*names: str) -> Sequence[str]:
    """Return those of the named sides, by default of all, that can be measured."""
    return [name for name in names or SIDES if name != CONTEXA or not MISSING]


def open_side(name: str, folder: Path) -> Side:
    """Return a side that keeps its records in a folder; its libraries are loaded here."""
    kind: Callable[[Path], Side] = resolve_name(SIDES[name])
    return kind(folder)


@dataclass(slots=True, kw_only=True)
class Bench:
    """One run: what is measured, where, and the histories that measurements share."""

    folder: Path
    scale: Scale
    tell: Callable[[str], None]
    _open: dict[str, Side] = field(default_factory=dict)

    def place(self, name: str) -> Path:
        """Return the folder of a shared history."""
        return self.folder / "history" / name.replace(" ", "-")

    def grown(self, count: int, *names: str) -> dict[str, Side]:
        """Return the named sides, by default all, with at least `count` records in each."""
        for name in installed(*names):
            self.tell(f"{name}: {count:,} records")
            if name not in self._open:
                self._open[name] = open_side(name, self.place(name))
            self._open[name].grow(count)
        return {name: self._open[name] for name in installed(*names)}

    def close(self) -> None:
        """Close what is open."""
        while self._open:
            self._open.popitem()[1].close()
