# pathlib alone would take 14 ms of every command.
# ruff: noqa: PTH123
"""The command under `agentctx exec`: started, signalled and ended as if its caller had done so."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Mapping
from typing import NoReturn

_FORWARDED = ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "CONT", "TSTP")
_KEYBOARD = ("SIGINT", "SIGQUIT", "SIGTSTP")
_RESTORED = (
    "SIGPIPE",
    "SIGXFSZ",
)  # the interpreter ignores these, and a command would inherit that


class NotStarted(Exception):
    """The command could not be started; `code` and the message are those of a shell."""

    def __init__(self, name: str, error: OSError) -> None:
        """Word `error` as shells do for the command `name`."""
        missing = error.errno in (errno.ENOENT, errno.ENOTDIR)
        plain = missing and os.sep not in name
        reason = "command not found" if plain else os.strerror(error.errno or errno.EIO)
        super().__init__(f"{name}: {reason}")
        self.code = 127 if missing else 126


def become(argv: list[str]) -> int:
    """Replace this process with the command; return its exit status where that is impossible."""
    if os.name != "posix":
        import subprocess

        return subprocess.call(argv)
    try:
        _execute(argv, environment())
    except OSError as error:
        raise NotStarted(argv[0], error) from None


def spawn(argv: list[str], env: Mapping[str, str], output: Mapping[int, int]) -> int:
    """Start the command in our own process group and return its process id.

    Args:
        argv: the program, looked up in PATH, and its arguments.
        env: its whole environment.
        output: pipes by the descriptor that each becomes in the command.

    Raises:
        NotStarted: there is no such program, or it may not be run.
    """
    failed, report = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _run_child(argv, env, output, parent, report)
    os.close(report)
    with os.fdopen(failed, "rb") as reader:
        reason = reader.read()
    if reason:
        os.waitpid(pid, 0)
        raise NotStarted(argv[0], OSError(int(reason), ""))
    return pid


def _run_child(
    argv: list[str], env: Mapping[str, str], output: Mapping[int, int], parent: int, report: int
) -> NoReturn:
    try:
        _die_with(parent)
        for fd, pipe in output.items():
            os.dup2(pipe, fd)
        _execute(argv, env)
    except OSError as error:
        os.write(report, str(error.errno or errno.EIO).encode())
    finally:
        os._exit(127)


def _execute(argv: list[str], env: Mapping[str, str]) -> NoReturn:
    for name in _RESTORED:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execvpe(argv[0], argv, env)  # noqa: S606 - the user's own command
    except OSError as error:
        if error.errno != errno.ENOEXEC or not error.filename:
            raise
        os.execve("/bin/sh", ["sh", error.filename, *argv[1:]], env)  # noqa: S606 - as shells do


def _die_with(parent: int) -> None:
    """Have the kernel end the command when a host's time-out kills `agentctx exec` itself."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    set_death_signal = 1  # PR_SET_PDEATHSIG
    ctypes.CDLL(None).prctl(set_death_signal, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(128 + signal.SIGKILL)


def environment() -> dict[str, str]:
    """Return the environment that we were started with.

    In the C locale the interpreter sets LC_CTYPE for itself (PEP 538), which no command should see.
    """
    env = dict(os.environ)
    if "LC_CTYPE" in env and sys.platform.startswith("linux"):
        with open("/proc/self/environ", "rb") as file:
            given = file.read().split(b"\0")
        if not any(entry.startswith(b"LC_CTYPE=") for entry in given):
            del env["LC_CTYPE"]
    return env


class Forwarder:
    """Passes the signals that reach us on to the command while it runs.

    A terminal's Ctrl-C and Ctrl-Z reach the whole foreground group, the command included,
    so these are not passed on a second time.
    """

    def __init__(self, pid: int) -> None:
        """Pass on to the process `pid` what is not ignored, as under nohup."""
        self.pid = pid
        numbers = [getattr(signal, f"SIG{name}") for name in _FORWARDED]
        self._handled = [n for n in numbers if signal.getsignal(n) is not signal.SIG_IGN]
        self._listen()

    def stop(self) -> None:
        """Let signals act on us again: the command has ended, and its id may be another's."""
        for number in self._handled:
            signal.signal(number, signal.SIG_DFL)

    def _listen(self) -> None:
        for number in self._handled:
            signal.signal(number, self._forward)

    def _forward(self, number: int, frame: object) -> None:
        if signal.Signals(number).name not in _KEYBOARD or not _in_foreground():
            _kill(self.pid, number)
        if number == signal.SIGTSTP:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)  # returns when we are continued
            self._listen()


def _in_foreground() -> bool:
    """Say whether we own the terminal, whose Ctrl-C then reached the command as well."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _kill(pid: int, number: int) -> None:
    try:  # noqa: SIM105 - contextlib costs 5 ms of every command
        os.kill(pid, number)
    except OSError:  # it has ended already, or runs as somebody else
        pass


def leave_as(status: int) -> NoReturn:
    """End as a wait status says: by the same signal, or with the same code.

    All output is written by now, so the interpreter is spared its farewell of 10 to 50 ms.
    """
    if os.WIFSIGNALED(status):
        die_of(os.WTERMSIG(status))
    os._exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


def die_of(number: int) -> None:
    """End this process by a signal, without a core dump of the interpreter."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
