import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.run import EXEC, environment, run

WAYS = ["--raw", "--reduce"]
SHELLS = ["sh", "bash", "dash"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("code", [0, 1, 2, 77, 126, 127, 255])
def test_the_exit_code_is_that_of_the_command(tmp_path, way, code):
    assert run([*EXEC, way, "sh", "-c", f"exit {code}"], tmp_path).returncode == code


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["TERM", "KILL", "INT", "SEGV", "PIPE", "HUP"])
def test_a_command_that_is_killed_takes_us_along_the_same_way(tmp_path, way, name):
    done = run([*EXEC, way, "sh", "-c", f"echo before; kill -{name} $$"], tmp_path)
    assert done.returncode == -getattr(signal, f"SIG{name}")
    assert done.stdout == b"before\n"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_sees_128_and_the_signal(tmp_path, way, shell):
    script = f'{" ".join(EXEC)} {way} sh -c "kill -TERM \\$\\$"; echo $?'
    assert run([shell, "-c", script], tmp_path).stdout == b"143\n"


@pytest.mark.parametrize("way", WAYS)
def test_a_command_that_does_not_exist_is_127(tmp_path, way):
    done = run([*EXEC, way, "no-such-command-here"], tmp_path)
    assert done.returncode == 127
    assert done.stderr == b"agentctx exec: no-such-command-here: command not found\n"


@pytest.mark.parametrize("way", WAYS)
def test_a_path_that_does_not_exist_is_127(tmp_path, way):
    done = run([*EXEC, way, "./nothing"], tmp_path)
    assert done.returncode == 127
    assert done.stderr == b"agentctx exec: ./nothing: No such file or directory\n"


@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_may_not_be_run_is_126(tmp_path, way):
    (tmp_path / "notes").write_text("hello")
    done = run([*EXEC, way, "./notes"], tmp_path)
    assert done.returncode == 126
    assert done.stderr == b"agentctx exec: ./notes: Permission denied\n"


@pytest.mark.parametrize("way", WAYS)
def test_a_script_without_an_interpreter_line_runs_in_sh(tmp_path, way):
    script = tmp_path / "script"
    script.write_text('echo "$1"; exit 4\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    done = run([*EXEC, way, "./script", "a b"], tmp_path)
    assert (done.returncode, done.stdout) == (4, b"a b\n")


@pytest.mark.parametrize("way", WAYS)
def test_arguments_arrive_as_they_were_given(tmp_path, way):
    odd = [
        b"",
        b" ",
        b"a b",
        b"'",
        b'"',
        b"$HOME",
        b"*",
        b"-c",
        b"--",
        b"\n",
        b"\xff\xfe",
        "ñ".encode(),
    ]
    show = "import os, sys; os.write(1, b'|'.join(map(os.fsencode, sys.argv[1:])))"
    argv = [os.fsencode(word) for word in [*EXEC, way, "--", sys.executable, "-c", show]]
    assert run([*argv, *odd], tmp_path).stdout == b"|".join(odd)


@pytest.mark.parametrize("way", WAYS)
def test_stdin_is_the_command_s(tmp_path, way):
    data = bytes(range(32, 127)) + b"\n"
    assert run([*EXEC, way, "cat"], tmp_path, input=data).stdout == data


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("locale", ["C", "C.UTF-8", ""])
def test_the_command_gets_its_caller_s_environment(tmp_path, way, locale):
    env = {k: v for k, v in environment(tmp_path).items() if not k.startswith(("LC_", "LANG"))}
    env |= {"LANG": locale, "ODD": "a\nb"} if locale else {"ODD": "a\nb"}
    show = ["sh", "-c", 'cp /proc/self/environ "$0"']
    run([*EXEC, way, *show, "ours"], tmp_path, env=env)
    run([*show, "bare"], tmp_path, env=env)
    ours, bare = (set((tmp_path / n).read_bytes().split(b"\0")) for n in ("ours", "bare"))
    assert {e for e in ours if not e.startswith(b"AGENTCTX_EXEC_PIPES=")} == bare


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&-", "0<&- 1>&- 2>&-"])
def test_closed_descriptors_stay_closed(tmp_path, way, closed):
    look = "; ".join(f"test -e /proc/self/fd/{fd}; echo $? >> open" for fd in range(3))
    script = f"{' '.join(EXEC)} {way} sh -c '{look}; exit 5' {closed}"
    done = run(["sh", "-c", script], tmp_path)
    assert done.returncode == 5
    expected = "".join("1" if f"{fd}<" in closed or f"{fd}>" in closed else "0" for fd in "012")
    assert "".join((tmp_path / "open").read_text().split()) == expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "USR1", "QUIT"])
def test_a_signal_for_us_reaches_the_command_once(tmp_path, way, name):
    script = (
        "import signal, sys, time; seen = []\n"
        f"signal.signal(signal.SIG{name}, lambda *a: seen.append(1))\n"
        "print('ready', flush=True); end = time.time() + 1\n"
        "while time.time() < end: time.sleep(0.05)\n"
        "print(len(seen)); sys.exit(9)"
    )
    argv = [*EXEC, way, "--hold", "0", sys.executable, "-c", script]
    with subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(tmp_path),
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(getattr(signal, f"SIG{name}"))
        assert process.stdout.read() == b"1\n"
    assert process.returncode == 9


@pytest.mark.parametrize("way", WAYS)
def test_a_time_out_that_kills_us_kills_the_command(tmp_path, way):
    argv = [*EXEC, way, "--hold", "0", "sh", "-c", "echo $$; exec sleep 60"]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
    ) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.kill()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and _runs(pid):
        time.sleep(0.02)
    assert not _runs(pid)


def test_what_was_printed_before_a_time_out_is_not_lost(tmp_path):
    argv = [*EXEC, "--reduce", "--hold", "60", "sh", "-c", "echo early; sleep 5"]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
    ) as process:
        time.sleep(1)
        process.terminate()
        out, _ = process.communicate()
    assert out == b"early\n"
    assert process.returncode == -signal.SIGTERM


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ([], "no command given"),
        (["--"], "no command given"),
        (["--nonsense", "ls"], "no such option: --nonsense"),
        (["-c"], "-c needs a value"),
        (["--hold", "soon", "ls"], "--hold 'soon' is no number of seconds"),
        (["--hold", "-1", "ls"], "is no number of seconds"),
    ],
)
def test_wrong_usage_is_one_line_and_2(tmp_path, args, reason):
    done = run([*EXEC, *args], tmp_path)
    assert done.returncode == 2
    assert reason in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_an_unknown_policy_in_the_environment_is_wrong_usage(tmp_path):
    done = run([*EXEC, "true"], tmp_path, env=environment(tmp_path, AGENTCTX_EXEC="perhaps"))
    assert done.returncode == 2
    assert b"use auto, reduce, raw" in done.stderr


@pytest.mark.parametrize(
    "args", [["-c", "echo a | tr a b"], ["--", "echo a | tr a b"], ["echo a|tr a b"]]
)
def test_shell_syntax_runs_in_a_shell(tmp_path, args):
    assert run([*EXEC, *args], tmp_path).stdout == b"b\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_can_be_chosen(tmp_path, shell):
    show = "readlink /proc/$$/exe | xargs basename"
    expected = run([shell, "-c", show], tmp_path).stdout
    assert run([*EXEC, "--shell", shell, "-c", show], tmp_path).stdout == expected
    env = environment(tmp_path, SHELL=f"/bin/{shell}")
    assert run([*EXEC, "-c", show], tmp_path, env=env).stdout == expected


def test_a_program_whose_path_has_a_blank_is_no_shell_syntax(tmp_path):
    program = tmp_path / "my program"
    program.write_text("#!/bin/sh\necho ran\n")
    program.chmod(0o700)
    assert run([*EXEC, str(program)], tmp_path).stdout == b"ran\n"
