"""What is printed for a piece of a command's output."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from agentctx.cli.pump import write

if TYPE_CHECKING:
    from agentctx.cli.engine import Engine
    from agentctx.values import Reduction

SMALL = 600
"""Bytes below which an output is not worth a look: under 150 tokens nothing is ever reduced."""

_CONTROLS = bytes({*range(32), 127} - {9, 10})
_CREDENTIALS = ("KEY", "TOKEN", "SECRET", "PASSW", "_PWD", "CREDENTIAL", "AUTH")
_SECRET_SIGNS = (
    *(b"-----BEGIN", b"eyJ", b"sk-", b"ghp_", b"gho_", b"ghs_", b"github_pat_", b"glpat-"),
    *(b"AKIA", b"ASIA", b"xox", b"AIza", b"hf_", b"npm_", b"pypi-"),
)


class Digester:
    """Reduces the pieces of one command; loads what that takes only when a piece needs it."""

    def __init__(self, command: str, *, as_json: bool = False) -> None:
        """Reduce the output of `command`."""
        self._command, self._as_json = command, as_json
        self._engine: Engine | None = None
        self._owner = 0
        self._told = False

    def digest(self, target: int, piece: bytes, code: int | None) -> bytes:
        """Return what to print for a piece that is bound for the descriptor `target`."""
        if not self._as_json:
            return piece if _plain(piece) else self._reduce(piece, code)[0]
        text, reduction = (piece, None) if _plain(piece) else self._reduce(piece, code)
        return _line(
            stream={1: "stdout", 2: "stderr"}[target],
            text=text.decode("utf-8", "backslashreplace"),
            handle=reduction.handle if reduction else "",
            tokens_before=reduction.tokens_before if reduction else None,
            tokens_after=reduction.tokens_after if reduction else None,
        )

    def finish(self, status: int) -> None:
        """Print the last JSON object: how the command ended."""
        code = os.waitstatus_to_exitcode(status)
        write(1, _line(exit_code=code if code >= 0 else 128 - code, signal=max(0, -code)))

    def _reduce(self, piece: bytes, code: int | None) -> tuple[bytes, Reduction | None]:
        """Return a piece as the agent should see it; what cannot be reduced stays whole."""
        from agentctx.errors import AgentctxError, RedactionError

        text = piece.decode("utf-8", "surrogateescape")
        try:
            reduction = self._observe(text, code)
            return reduction.text.encode("utf-8", "surrogateescape"), reduction
        except RedactionError as error:
            return self._withheld(piece, error), None
        except AgentctxError as error:
            self._tell(f"not reduced: {error}")
        except Exception as error:
            self._tell(f"not reduced: {type(error).__name__}: {error}")
        return self._redacted(piece, text), None

    def _observe(self, text: str, code: int | None) -> Reduction:
        from agentctx.cli.engine import Engine
        from agentctx.values import Observation

        if self._engine is None or self._owner != os.getpid():  # no connection survives a fork
            self._engine, self._owner = Engine(), os.getpid()
        return self._engine.observe(
            Observation(output=text, command=self._command, exit_code=code, tool="exec")
        )

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


def _line(**fields: object) -> bytes:
    import json

    return json.dumps(fields).encode() + b"\n"


def _plain(piece: bytes) -> bool:
    """Say whether a piece is short and holds neither control characters nor signs of a secret."""
    if len(piece) > SMALL or len(piece.translate(None, _CONTROLS)) < len(piece):
        return False
    signs = (*_SECRET_SIGNS, *_credentials())
    in_address = b"://" in piece and b"@" in piece
    return not in_address and not any(sign in piece for sign in signs)


def _credentials() -> list[bytes]:
    """Return the values of environment variables that are named like credentials."""
    found = (v for k, v in os.environ.items() if any(sign in k.upper() for sign in _CREDENTIALS))
    return [os.fsencode(value) for value in found if len(value) >= 8]
