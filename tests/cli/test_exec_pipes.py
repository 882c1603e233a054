import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import EXEC, environment, run

ON_LINUX = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only /proc tells who reads a pipe"
)
SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh", "ksh") if shutil.which(shell)]
LOOK = """
pipe=$(readlink /proc/$$/fd/{fd} | tr -dc 0-9)
case ",$AGENTCTX_EXEC_PIPES," in *",$pipe,"*) echo reduced >&{fd} ;; *) echo >&{fd} ;; esac
"""
"""Prints "reduced" when `exec` reads that output of it, and an empty line when it does not."""

PROBE = [*EXEC, "sh", "-c", LOOK.format(fd=1)]


@pytest.fixture
def probe(tmp_path):
    script = tmp_path / "probe"
    line = " ".join(f"'{word}'" for word in PROBE)
    script.write_text(f"#!/bin/sh\nexec {line}\n")
    script.chmod(0o700)
    return script


@ON_LINUX
def test_a_host_that_captures_through_a_pipe_is_served(tmp_path):
    assert run(PROBE, tmp_path).stdout == b"reduced\n"


@ON_LINUX
@pytest.mark.parametrize("shell", SHELLS)
def test_so_is_a_host_behind_a_shell(tmp_path, probe, shell):
    assert run([shell, "-c", "./probe; true"], tmp_path).stdout == b"reduced\n"


@ON_LINUX
def test_so_is_a_host_that_captures_through_a_socket(tmp_path):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        subprocess.run(PROBE, stdout=theirs, cwd=tmp_path, env=environment(tmp_path))
        assert ours.recv(100) == b"reduced\n"


@ON_LINUX
def test_so_is_a_host_that_no_process_here_is(tmp_path):
    """As with `docker exec`, whose reader lives outside the container."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(write)
        os.setsid()  # a reader whose descriptors are not its stdin, in another session
        data = os.read(read, 100)
        (tmp_path / "seen").write_bytes(data)
        os._exit(0)
    os.close(read)
    subprocess.run(PROBE, stdout=write, cwd=tmp_path, env=environment(tmp_path))
    os.close(write)
    os.waitpid(pid, 0)
    assert (tmp_path / "seen").read_bytes() == b"reduced\n"


UNTOUCHED = [
    "./probe | cat",
    "./probe | cat | cat",
    "(./probe; :) | cat",
    "{ ./probe; } 2>&1 | cat",
    "./probe | timeout 9 cat",
    "./probe | setsid -w cat",
    "x=$(./probe); echo $x",
    "echo $(./probe)",
    "./probe > kept; cat kept",
    "./probe >> kept; cat kept",
    "sh -c './probe; :' | sh -c 'cat; :'",
    "mkfifo named; cat named & ./probe > named; wait",
    "printf 'all:\\n\\t@echo \"$(shell ./probe)\"\\n' > m; make -sf m || echo",
]


@ON_LINUX
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("script", UNTOUCHED)
def test_another_reader_gets_the_command_s_own_bytes(tmp_path, probe, shell, script):
    assert run([shell, "-c", script], tmp_path).stdout == b"\n"


@ON_LINUX
@pytest.mark.parametrize(
    "script",
    [
        "cat < <(./probe)",
        "cat <(./probe)",
        "exec cat <(./probe)",
        "./probe > >(cat); sleep 0.3",
        "mapfile -t x < <(./probe); echo ${x[0]}",
        "coproc ./probe; cat <&${COPROC[0]}",
        "set -o pipefail; ./probe |& cat",
        "shopt -s lastpipe; ./probe | { read -r x; echo $x; }",
    ],
)
def test_the_other_pipes_of_bash_are_left_alone_too(tmp_path, probe, script):
    assert run(["bash", "-c", script], tmp_path).stdout == b"\n"


@ON_LINUX
def test_an_inner_exec_leaves_its_output_to_the_outer(tmp_path):
    inner = [*EXEC, "--reduce", "sh", "-c", "echo $AGENTCTX_EXEC_PIPES"]
    both = {"stderr": subprocess.STDOUT, "stdout": subprocess.PIPE}
    outer = subprocess.run(
        [*EXEC, "--reduce", *inner], cwd=tmp_path, env=environment(tmp_path), **both
    )
    assert outer.stdout.count(b",") == 0
    piped = f"{' '.join(EXEC)} --reduce sh -c 'echo $AGENTCTX_EXEC_PIPES' | cat"
    outer = subprocess.run(
        [*EXEC, "--reduce", piped], cwd=tmp_path, env=environment(tmp_path), **both
    )
    assert outer.stdout.count(b",") == 1


@pytest.mark.parametrize(
    ("policy", "expected"), [("raw", b"\n"), ("reduce", b"reduced\n"), ("auto", b"\n")]
)
def test_the_environment_can_decide(tmp_path, probe, policy, expected):
    env = environment(tmp_path, AGENTCTX_EXEC=policy)
    assert run(["sh", "-c", "./probe | cat"], tmp_path, env=env).stdout == expected


def test_mode_off_is_raw(tmp_path):
    assert run(PROBE, tmp_path, env=environment(tmp_path, AGENTCTX_MODE="off")).stdout == b"\n"


@ON_LINUX
def test_stderr_alone_is_served_when_stdout_is_stored(tmp_path):
    line = " ".join(f"'{word}'" for word in [*EXEC, "sh", "-c", "echo out" + LOOK.format(fd=2)])
    done = run(["sh", "-c", f"{line} > kept"], tmp_path)
    assert (done.stderr, (tmp_path / "kept").read_bytes()) == (b"reduced\n", b"out\n")


def test_stdout_and_stderr_in_one_pipe_keep_their_order(tmp_path):
    script = "for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done"
    argv = [*EXEC, "--reduce", "sh", "-c", script]
    both = subprocess.run(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=tmp_path,
        env=environment(tmp_path),
    )
    assert both.stdout.split() == [f"{s}{i}".encode() for i in range(1, 6) for s in "oe"]


def test_stdout_and_stderr_in_two_pipes_stay_apart(tmp_path):
    done = run([*EXEC, "--reduce", "sh", "-c", "echo o; echo e >&2"], tmp_path)
    assert (done.stdout, done.stderr) == (b"o\n", b"e\n")


def _repository(folder: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    old = b"".join(b"line %d\r\n" % i if i % 3 else b"zeile \xff %d\n" % i for i in range(3000))
    (folder / "file").write_bytes(old)
    for args in (["init", "-q"], ["add", "file"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *args], cwd=folder, check=True)
    (folder / "file").write_bytes(old.replace(b"7", b"seven\x1b[31m\t"))


@ON_LINUX
@pytest.mark.parametrize("shell", SHELLS)
def test_a_diff_still_applies_after_exec(tmp_path, shell):
    _repository(tmp_path)
    wanted = (tmp_path / "file").read_bytes()
    line = f"{' '.join(EXEC)} git diff > /dev/null; {' '.join(EXEC)} git diff | git apply -R"
    done = run([shell, "-c", line], tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"seven" not in (tmp_path / "file").read_bytes()
    (tmp_path / "file").write_bytes(wanted)
    exact = run([shell, "-c", f"{' '.join(EXEC)} git diff | cat"], tmp_path).stdout
    assert exact == run(["git", "diff"], tmp_path).stdout


@ON_LINUX
@pytest.mark.parametrize("shell", SHELLS)
def test_a_reader_that_leaves_early_ends_the_command(tmp_path, shell):
    done = run([shell, "-c", f"{' '.join(EXEC)} yes | head -n 2"], tmp_path)
    assert done.stdout == b"y\ny\n"


def test_a_host_that_leaves_early_ends_the_command(tmp_path):
    argv = [*EXEC, "--reduce", "sh", "-c", "while :; do echo line; sleep 0.02; done"]
    process = subprocess.Popen(
        argv, stdout=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(20) != 0
