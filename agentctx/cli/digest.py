"""What is printed for a piece of a command's output."""

from __future__ import annotations

import os
import time
from functools import cache
from typing import TYPE_CHECKING

from agentctx.cli.pump import write

if TYPE_CHECKING:
    from agentctx.cli.engine import Engine
    from agentctx.values import Reduction

SMALL = 600
"""Bytes below which an output is not worth a look: under 150 tokens nothing is ever reduced."""

_NEVER = 1 << 62
_MEMORY, _SHOWN = 8, 1 << 18
"""Pieces and characters that one session remembers: a command without end fills no memory."""

_LARGE = 1 << 18  # bytes; the first such piece may not be the last
_MMAP_THRESHOLD = -3  # of mallopt(3)
_CONTROLS = bytes({*range(32), 127} - {9, 10})
_TOKEN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.~-"
_GAPS = bytes(byte if byte in _TOKEN else 32 for byte in range(256))
_SHORTEST_TOKEN = 15  # the shortest of all published formats
_SHORTEST_VALUE = 8
_SIGNS = (
    b"uthorization",
    b"UTHORIZATION",
    b"%",
    b"\\",
)  # the last two: another spelling of a value
_NO_SECRETS = ("HOME", "OLDPWD", "PWD")


class Digester:
    """Reduces the pieces of one command; loads what that takes only when a piece needs it."""

    def __init__(self, command: str, *, as_json: bool = False, raw: bool = False) -> None:
        """Reduce the output of `command`, or leave it `raw`."""
        self._command, self._as_json, self._raw = command, as_json, raw
        self._engine: Engine | None = None
        self._owner = self._served = self._shown = 0
        self._started = time.time()
        self._told = False
        self._prepared = 0

    def digest(self, fd: int, piece: bytes, code: int | None) -> bytes:
        """Return what to print for a piece of the command's stdout (1) or stderr (2)."""
        as_is = self._raw or _plain(piece)
        text, reduction = (piece, None) if as_is else self._reduce(piece, code)
        if not self._as_json:
            return text
        return _line(
            stream={1: "stdout", 2: "stderr"}[fd],
            text=text.decode("utf-8", "backslashreplace"),
            handle=reduction.handle if reduction else "",
            tokens_before=reduction.tokens_before if reduction else None,
            tokens_after=reduction.tokens_after if reduction else None,
        )

    def prepare(self, size: int) -> None:
        """Use the command's idle time to load what a piece of `size` bytes will need."""
        if self._raw or size <= max(SMALL, self._prepared):
            return
        self._prepared = size * 2
        try:
            self._loaded().warm(size)
        except Exception:  # the piece will meet it again, and say so
            self._prepared = _NEVER

    def finish(self, status: int) -> None:
        """Print the last JSON object: how the command ended."""
        code = os.waitstatus_to_exitcode(status)
        write(1, _line(exit_code=code if code >= 0 else 128 - code, signal=max(0, -code)))

    def _reduce(self, piece: bytes, code: int | None) -> tuple[bytes, Reduction | None]:
        """Return a piece as the agent should see it; what cannot be reduced stays whole."""
        from agentctx.errors import AgentctxError

        if len(piece) > _LARGE:
            _map_large_buffers()
        text = piece.decode("utf-8", "surrogateescape")
        try:
            reduction = self._observe(text, code)
            return reduction.text.encode("utf-8", "surrogateescape"), reduction
        except AgentctxError as error:
            self._tell(f"not reduced: {error}")
        except Exception as error:
            self._tell(f"not reduced: {type(error).__name__}: {error}")
        return self._redacted(piece, text), None

    def _observe(self, text: str, code: int | None) -> Reduction:
        from agentctx.values import Observation

        engine = self._loaded()
        reduction = engine.observe(
            Observation(output=text, command=self._command, exit_code=code, tool="exec"),
            self._started,
        )
        self._served += 1
        self._shown += len(reduction.text)
        return reduction

    def _loaded(self) -> Engine:
        from agentctx.cli.engine import Engine

        forked = self._owner != os.getpid()  # no connection survives that
        full = self._served >= _MEMORY or self._shown >= _SHOWN
        if self._engine is None or forked or full:
            self._engine, self._owner = Engine(), os.getpid()
            self._served = self._shown = 0
        return self._engine

    def _redacted(self, piece: bytes, text: str) -> bytes:
        """Return a whole piece without its secrets, with nothing but memory to rely on."""
        try:
            from agentctx.secrets.redactor import DefaultRedactor

            redactor = DefaultRedactor(os.urandom(32), os.environ)
            return redactor.redact(text).encode("utf-8", "surrogateescape")
        except Exception as error:
            return self._withheld(piece, error)

    def _withheld(self, piece: bytes, error: Exception) -> bytes:
        self._tell(f"{error}: use --raw to see the output with its secrets")
        return f"[agentctx: {len(piece)} bytes withheld, since secrets may be in them]\n".encode()

    def _tell(self, reason: str) -> None:
        if not self._told:
            self._told = True
            line = " ".join(f"agentctx exec: {reason}".split())
            write(2, f"{line}\n".encode(errors="backslashreplace"))


@cache
def _map_large_buffers() -> None:
    """Have glibc map large buffers, and unmap them: in its heap, those of each piece leave holes."""
    import ctypes
    from contextlib import suppress

    with suppress(AttributeError, OSError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, 1 << 17)


def _line(**fields: object) -> bytes:
    import json

    return json.dumps(fields).encode() + b"\n"


def _plain(piece: bytes) -> bool:
    """Say whether a piece is short and holds no control characters and nothing like a secret.

    Whatever the redactor would find must not be plain; to take too much for a secret costs time only.
    """
    if len(piece) > SMALL or len(piece.translate(None, _CONTROLS)) < len(piece):
        return False
    if any(len(word) >= _SHORTEST_TOKEN for word in piece.translate(_GAPS).split()):
        return False
    in_address = b"://" in piece and b"@" in piece
    return not in_address and not any(sign in piece for sign in (*_SIGNS, *_values()))


def _values() -> list[bytes]:
    """Return the values of all environment variables, and the parts of those that are addresses."""
    found: list[str] = []
    for name, value in os.environ.items():
        if name not in _NO_SECRETS:
            found += (value, *value.replace("@", ":").split(":"))
    return [os.fsencode(value) for value in found if len(value) >= _SHORTEST_VALUE]
