"""The user's own git as a process: fixed arguments, no hooks, no prompts, a clean environment."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from agentctx.errors import RemoteError

TIMEOUT_S = 120.0

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "protocol.ext.allow=never",
    "protocol.fd.allow=never",
    "credential.interactive=false",
    "transfer.fsckObjects=true",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    "push.gpgSign=false",
    "push.followTags=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GCM_INTERACTIVE": "never",
    "SSH_ASKPASS_REQUIRE": "never",
}
_SECRET = re.compile(r"(\w+://)[^/\s@]*@")
_TELLS = re.compile(r"^\s*(?:fatal|error|remote|ERROR|ssh): ?|^\s*! \[", re.M)
_one_at_a_time = Lock()


class Git:
    """The git program at one bare repository."""

    def __init__(self, folder: Path, timeout: float = TIMEOUT_S) -> None:
        """Run git at the repository in `folder`; whatever takes longer than `timeout` is ended."""
        self._folder, self._timeout = folder, timeout

    def run(self, command: str, *options: str, words: Sequence[str] = ()) -> str:
        """Return what git printed.

        Args:
            command: such as "fetch".
            options: fixed ones, from this program only.
            words: what comes from elsewhere: an address and refs; never taken for options.

        Raises:
            RemoteError: git is not there, failed, or took too long.
        """
        status, out, err = self.tried(command, *options, words=words)
        if status:
            raise RemoteError(f"git {command} failed: {said(err)}")
        return out

    def tried(self, command: str, *options: str, words: Sequence[str] = ()) -> tuple[int, str, str]:
        """Return git's exit status and what it printed on stdout and stderr.

        Raises:
            RemoteError: git is not there, or took too long.
        """
        after = ("--end-of-options", *words) if words else ()
        settings = [part for one in _SETTINGS for part in ("-c", one)]
        argv = [program(), *settings, f"--git-dir={self._folder}", command, *options, *after]
        process = _start(argv, self._folder)
        try:
            out, err = process.communicate(timeout=self._timeout)
        except subprocess.TimeoutExpired:
            _end(process)
            raise RemoteError(
                f"git {command} took longer than {self._timeout:.0f} s: "
                "check the address and the network, then try again"
            ) from None
        except BaseException:
            _end(process)
            raise
        return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def program() -> str:
    """Return where git is.

    Raises:
        RemoteError: it is not installed.
    """
    found = shutil.which("git")
    if not found:
        raise RemoteError("git is not installed: install it to push, pull and clone memory")
    return found


def said(err: str) -> str:
    """Return the lines of git's stderr that tell why, as one, without credentials."""
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    telling = [line for line in lines if _TELLS.match(line)] or lines[-1:]
    text = " · ".join(_TELLS.sub("", line).strip() for line in telling[:3])
    return without_credentials(text)[:300] or "it does not say why"


def without_credentials(text: str) -> str:
    """Return a text in which no address holds a user or password."""
    return _SECRET.sub(r"\1", text)


def _start(argv: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start git through GitPython, without any GIT_* variable of ours."""
    try:
        import git  # looks for the program when it is imported
    except ImportError as error:
        reason = " ".join(str(error).split())[:120]
        raise RemoteError(f"GitPython finds no git ({reason}): mend its environment") from None
    with _clean_environment() as prefix:
        handle: Any = git.Git(str(folder)).execute(
            [*prefix, *argv],
            as_process=True,
            istream=subprocess.DEVNULL,
            env=_ENVIRONMENT,
            shell=False,
            start_new_session=os.name == "posix",  # no terminal to ask at, and all can be ended
        )
    process: subprocess.Popen[bytes] = handle.proc
    handle.proc = None  # it is ours to wait for
    return process


@contextmanager
def _clean_environment() -> Iterator[list[str]]:
    """Yield what to put before a command so that it sees no GIT_* variable but those we set."""
    named = [name for name in os.environ if name.startswith("GIT_")]
    tool = shutil.which("env")
    if os.name == "posix" and tool:
        stripped = [name for name in named if name not in _ENVIRONMENT]
        yield [tool, *(part for name in stripped for part in ("-u", name))]
        return
    with _one_at_a_time:  # a process that Windows starts gets our environment as it then is
        kept = {name: os.environ.pop(name) for name in named}
        try:
            yield []
        finally:
            os.environ.update(kept)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and the programs that it started, such as ssh."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()
