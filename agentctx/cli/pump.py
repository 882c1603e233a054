"""Holds what a command prints and hands it on in pieces.

A piece ends when the command does, when it has been quiet for a while (a server that is ready, a
question that waits for its answer), when its first byte has waited long enough, or when it is large.
So nothing is held for long, memory is bounded, and a short command is one piece.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import time
from collections.abc import Callable

from agentctx.cli.child import Forwarder

Digest = Callable[[int, bytes, "int | None"], bytes]
"""Turns a piece of the command's stdout (1) or stderr (2), and its exit code if known, into output."""

_READ = 1 << 16
_GRACE = 0.25  # quiet seconds in which a finished command's background programs may still speak
_PATIENCE = 2.0  # the most that these hold up the exit status


class Limits:
    """When a piece ends: quiet seconds, age in seconds, size in bytes."""

    def __init__(self, quiet: float = 5.0, age: float = 20.0, size: int = 3 << 17) -> None:
        """Take the limits as they are."""
        self.quiet, self.age, self.size = quiet, age, size


class Stream:
    """One output of the command: the pipe that we read, what is held of it, where it goes."""

    def __init__(self, source: int, fd: int, target: int) -> None:
        """Read from `source` what the command writes to its `fd`; write to `target`."""
        self.source, self.fd, self.target = source, fd, target
        self.held = bytearray()
        self.first = self.last = 0.0  # when the oldest and the newest held byte came
        self.open, self.lost = True, False

    def read(self, now: float) -> None:
        """Take in what is there; the end of the output closes the stream."""
        data = os.read(self.source, _READ)
        if not data:
            self.close()
            return
        if not self.held:
            self.first = now
        self.last = now
        self.held += data

    def close(self) -> None:
        """Stop reading; a command that writes on gets SIGPIPE."""
        if self.open:
            os.close(self.source)
            self.open = False

    def lose(self) -> None:
        """Give up: whoever read what we write has gone."""
        self.lost = True
        self.close()

    def due(self, limits: Limits) -> float:
        """Return when a piece must go out even if the command says nothing more."""
        if not self.held:
            return float("inf")
        return min(self.last + limits.quiet, self.first + limits.age)

    def take(self, now: float, limits: Limits) -> bytes:
        """Remove and return a piece: all after a pause or at the end, else up to a line's end."""
        end = len(self.held)
        if self.open and now < self.last + limits.quiet:
            end = self.held.rfind(b"\n") + 1 or _whole_characters(self.held)
        with memoryview(self.held) as view, view[:end] as part:
            piece = bytes(part)
        del self.held[:end]
        self.first = now
        return piece


class Pump:
    """Moves the streams of one command until it and everything that writes for it have ended."""

    def __init__(
        self,
        streams: list[Stream],
        limits: Limits,
        digest: Digest,
        idle: Callable[[int], None] = lambda size: None,
    ) -> None:
        """Be ready to move `streams`; signals wake us from now on.

        `idle` is told, when nothing else is to be done, how many bytes the largest piece will have.
        """
        self.streams, self.limits, self.digest, self.idle = streams, limits, digest, idle
        self.status: int | None = None
        self._ended = 0.0
        self._wake = _wake_on_signals()

    def run(self, command: Forwarder) -> int:
        """Return the command's wait status; programs that it left behind are served on."""
        while self.status is None:
            self._step()
            self._reap(command)
        while self._awaits_background(time.monotonic()):
            self._step()
        self._flush_all()
        if any(s.open for s in self.streams) and _stay_behind(self.streams):
            self._serve_background()
        return self.status

    @property
    def unread(self) -> bool:
        """Say whether a reader went away before it had everything."""
        return any(s.lost for s in self.streams)

    def _step(self) -> None:
        ready = self._wait()
        now = time.monotonic()
        for stream in self.streams:
            if stream.open and stream.source in ready:
                stream.read(now)
            if stream.open and ready.get(stream.target, 0) & select.POLLERR:
                stream.lose()
            if stream.due(self.limits) <= now or len(stream.held) >= self.limits.size:
                self._flush(stream, now)

    def _wait(self) -> dict[int, int]:
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        for stream in self.streams:
            if stream.open:
                poll.register(stream.source, select.POLLIN)
                poll.register(stream.target, 0)  # tells when the reader goes away
        if not poll.poll(0):
            self.idle(max(len(s.held) for s in self.streams))
        due = min((s.due(self.limits) for s in self.streams), default=float("inf"))
        if self.status is not None and self._awaits_background(time.monotonic()):
            due = min(due, time.monotonic() + _GRACE)
        wait = None if due == float("inf") else max(0.0, due - time.monotonic()) * 1000
        ready = dict(poll.poll(wait))
        if self._wake in ready:
            os.read(self._wake, _READ)
        return ready

    def _reap(self, command: Forwarder) -> None:
        pid, status = os.waitpid(command.pid, os.WNOHANG)
        if pid:
            command.stop()
            self.status, self._ended = status, time.monotonic()

    def _awaits_background(self, now: float) -> bool:
        spoke = [s.last for s in self.streams if s.open]
        latest = max([self._ended, *spoke]) + _GRACE
        return bool(spoke) and now < min(latest, self._ended + _PATIENCE)

    def _serve_background(self) -> None:
        """Go on as long as something that the command left behind writes, and end."""
        try:
            while any(s.open for s in self.streams):
                self._step()
            self._flush_all()
        finally:
            os._exit(0)

    def _flush_all(self) -> None:
        for stream in self.streams:
            self._flush(stream, float("inf"))

    def _flush(self, stream: Stream, now: float) -> None:
        code = None if self.status is None else os.waitstatus_to_exitcode(self.status)
        piece = stream.take(now, self.limits)
        if not piece or stream.lost:
            return
        try:
            write(stream.target, self.digest(stream.fd, piece, code))
        except BrokenPipeError:
            stream.lose()


def _whole_characters(data: bytearray) -> int:
    """Return the length of `data` without a UTF-8 character that is still incomplete at its end."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            width = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) - back if width > back else len(data)
        if byte < 0x80:
            break
    return len(data)


def _wake_on_signals() -> int:
    """Return a pipe that becomes readable when a signal arrives, a child's end included."""
    wake, write = (above_stdio(fd) for fd in os.pipe())
    os.set_blocking(write, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return wake


def above_stdio(fd: int) -> int:
    """Move a descriptor above 2, where it cannot pass for a closed stdin, stdout or stderr."""
    if fd > 2:
        return fd
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(fd)
    return moved


def _stay_behind(streams: list[Stream]) -> bool:
    """Split: False in the process that returns to the caller, True in the one that serves on."""
    if os.fork():
        return False
    nowhere = os.open(os.devnull, os.O_RDWR)
    served = {s.target for s in streams if s.open}
    for fd in {0, 1, 2} - served:
        os.dup2(nowhere, fd)
    return True


def write(fd: int, data: bytes) -> None:
    """Write all of `data`."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:  # the host made its end non-blocking
            select.select([], [fd], [])
