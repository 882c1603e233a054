# pathlib alone would take 14 ms of every command.
# ruff: noqa: PTH115, PTH123, PTH208
"""Who reads what `agentctx exec` prints: an agent's host, or somebody who needs the exact bytes.

Agents' hosts capture through a pipe, and so does the next program of a pipeline, whose bytes must
not change. `/proc` tells the two apart: a host is an ancestor of ours that opened the pipe itself;
the next program is none, or was handed the pipe by a shell before it began; and a shell that reads
us itself (`x=$(agentctx exec …)`) takes the text as data. Whatever cannot be told is somebody who
needs the exact bytes.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator

NESTED = "AGENTCTX_EXEC_PIPES"
"""Names the pipes that an outer `agentctx exec` reads, so that an inner one leaves them alone."""

_READS_DATA = frozenset(("sh", "bash", "dash", "ash", "zsh", "ksh", "ksh93", "fish", "csh", "make"))
_SOCKET_SHELLS = frozenset(("ksh", "ksh93"))  # these build pipelines from socket pairs


def reduced_fds(policy: str) -> tuple[int, ...]:
    """Return which of stdout (1) and stderr (2) go to the agent and are to be reduced.

    Where both go to one place, that is 1.

    Args:
        policy: "auto", or "reduce" when the caller vouches that the agent reads both.
    """
    if policy == "raw" or os.name != "posix":
        return ()
    wanted = _vouched if policy == "reduce" else _host_reads
    out = _is_ours(1) and wanted(1)
    err = not (out and same_file(1, 2)) and _is_ours(2) and wanted(2)
    return (1,) * out + (2,) * err


def same_file(a: int, b: int) -> bool:
    """Say whether two descriptors lead to the same pipe, terminal or file."""
    try:
        return os.path.sameopenfile(a, b)
    except OSError:
        return False


def _is_ours(fd: int) -> bool:
    """Say whether `fd` is open and no outer `agentctx exec` reduces it already."""
    try:
        inode = os.fstat(fd).st_ino
    except OSError:
        return False
    return str(inode) not in os.environ.get(NESTED, "").split(",")


def _vouched(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return fd == 1 or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _host_reads(fd: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    mode = os.fstat(fd).st_mode
    try:
        if stat.S_ISSOCK(mode):  # Node's hosts capture through sockets
            return _name(os.getppid()) not in _SOCKET_SHELLS
        link = os.readlink(f"/proc/self/fd/{fd}") if stat.S_ISFIFO(mode) else ""
        return link.startswith("pipe:[") and _only_hosts_read(link)
    except OSError:
        return False


def _only_hosts_read(link: str) -> bool:
    """Say whether every reader of a pipe is an ancestor that is no shell.

    No reader in sight means that it lives outside our container or account, as a host may; the
    members of a pipeline share our session, so one there that cannot be inspected counts as one.
    """
    ancestors = tuple(_ancestors())
    if any(_takes_data(pid, link) for pid in ancestors):
        return False
    known = {os.getpid(), *ancestors}
    return not any(_is_next(pid, link) for pid in _processes() if pid not in known)


def _takes_data(pid: int, link: str) -> bool:
    """Say whether an ancestor that reads the pipe is a shell, or was started with the pipe open.

    The latter is a program in which a shell ended, as `bash -c 'sort <(agentctx exec …)'` does. A
    host's own pipes are closed on exec.
    """
    ends = _read_ends(pid, link) or ()
    return any(_name(pid) in _READS_DATA or not _closes_on_exec(pid, fd) for fd in ends)


def _closes_on_exec(pid: int, fd: str) -> bool:
    with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file.read().splitlines() if ":" in line)
    return bool(int(fields["flags"], 8) & os.O_CLOEXEC)


def _is_next(pid: int, link: str) -> bool:
    """Say whether a process that is no ancestor of ours reads the pipe, or may do so."""
    if _session(pid) == os.getsid(0):
        return _read_ends(pid, link) != []
    return _is_read_end(f"/proc/{pid}/fd/0", link)  # `| setsid …` has left the session


def _ancestors() -> Iterator[int]:
    pid = os.getppid()
    while pid > 0:
        yield pid
        pid = int(_stat(pid)[1].split()[1])


def _processes() -> Iterator[int]:
    return (int(entry) for entry in os.listdir("/proc") if entry.isdigit())


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:  # it has ended meanwhile
        return -1


def _name(pid: int) -> str:
    return _stat(pid)[0]


def _stat(pid: int) -> tuple[str, str]:
    """Return a process's name and what follows it: state, parent, group and so on."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        before, _, after = file.read().rpartition(")")
    return before.partition("(")[2], after


def _read_ends(pid: int, link: str) -> list[str] | None:
    """Return a process's descriptors of a pipe's read end; None if it may not be inspected."""
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except PermissionError:
        return None
    except OSError:
        return []
    return [name for name in names if _is_read_end(f"{folder}/{name}", link)]


def _is_read_end(path: str, link: str) -> bool:
    try:
        return os.readlink(path) == link and bool(os.lstat(path).st_mode & 0o400)
    except OSError:  # closed meanwhile
        return False
