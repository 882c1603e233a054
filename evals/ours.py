"""agentctx itself under test, through the same Session that a host would open."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from agentctx.config import Settings
from agentctx.errors import ArchiveError
from agentctx.evals.host import Request, canonical
from agentctx.evals.policy import Arm
from agentctx.evals.trajectory import Trajectory, Turn
from agentctx.secrets.redactor import DefaultRedactor
from agentctx.session import Session
from agentctx.values import Observation, Payload

_SHM = Path("/dev/shm")  # noqa: S108 - a folder with a random name is made in it
HINT = "agentctx expand {handle}"
KEY = b"the same placeholders in every replay"
"""What placeholders of secrets are made with."""


class SessionArm:
    """One session in a folder of its own, removed at the end."""

    def __init__(self, trajectory: Trajectory, settings: Settings) -> None:
        """Open a session for one run; the user's own settings and secrets play no part."""
        self._folder = TemporaryDirectory(
            prefix="agentctx-replay-", dir=in_memory(), ignore_cleanup_errors=True
        )
        self._native = trajectory.native
        self.session = Session(
            trajectory.id,
            data=Path(self._folder.name),
            settings=settings,
            redactor=DefaultRedactor(KEY, {}),
            expand_hint=None if self._native else HINT,
        )

    def standing(self) -> str:
        """Return the tool's definition where it is not among the request's own tools.

        A host without native tools has to be told of the command in as many words.
        """
        if self._native:
            return ""
        specs = self.session.tools()
        return "\n".join(f"{s.name}\n{s.description}\n{canonical(s.parameters)}" for s in specs)

    def arrive(self, turn: Turn) -> str:
        """Return what `observe` makes of a result, as an environment wrapper does."""
        if turn.seen is None:
            return ""
        observation = Observation(
            output=turn.seen.text,
            command=turn.command,
            exit_code=turn.seen.exit_code,
            tool=turn.tool,
        )
        return self.session.observe(observation, call_id=turn.call_id).text

    def send(self, request: Request) -> Payload:
        """Return what `rewrite` makes of the request; text hosts hold observed texts already."""
        if not self._native:
            return request.payload
        offered = self.session.offer(request.payload, wire=request.wire)
        return self.session.rewrite(offered, wire=request.wire)

    def original(self, text: str) -> str:
        """Return the text without secrets."""
        return self.session.stores.redactor.redact(text)

    def expand(self, handle: str) -> str | None:
        """Return the original behind a handle from the archive."""
        archive = self.session.stores.archive
        try:
            return archive.read(archive.resolve(handle)).decode("utf-8", "surrogatepass")
        except ArchiveError:
            return None

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()


def in_memory() -> str | None:
    """Return a folder in memory if there is one: latencies are then free of the disk's.

    A replay waits for the disk at each of its decisions, a live session once in a turn of seconds.
    """
    return str(_SHM) if os.access(_SHM, os.W_OK | os.X_OK) else None


class Agentctx:
    """The default settings."""

    def start(self, trajectory: Trajectory, ratios: Mapping[int, float]) -> Arm:
        """Return an arm with a session of its own."""
        return SessionArm(trajectory, Settings())


class Lossless:
    """Only the steps that hide no line which stands nowhere else."""

    def start(self, trajectory: Trajectory, ratios: Mapping[int, float]) -> Arm:
        """Return an arm with a session of its own."""
        return SessionArm(trajectory, Settings(lossless=True))
