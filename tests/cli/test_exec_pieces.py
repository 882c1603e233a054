import os
import select
import subprocess
import sys
import time

import pytest

from tests.cli.run import EXEC, environment, run

REDUCE = [*EXEC, "--reduce"]


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"no newline", b"\xff\xfe\x00 raw\n", "naïve ∑ 漢字\n".encode(), b"a\n\n\nb\n\n"],
)
def test_a_small_output_is_printed_as_it_is(tmp_path, data):
    (tmp_path / "data").write_bytes(data)
    assert run([*REDUCE, "cat", "data"], tmp_path).stdout == data


def test_a_server_that_never_ends_is_heard_once_it_is_quiet(tmp_path):
    script = "echo starting; echo listening on 8080; exec sleep 60"
    argv = [*REDUCE, "--hold", "0.3", "sh", "-c", script]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
    ) as server:
        assert server.stdout is not None
        assert select.select([server.stdout], [], [], 20)[0]
        assert os.read(server.stdout.fileno(), 100) == b"starting\nlistening on 8080\n"
        assert server.poll() is None
        server.terminate()


def test_nothing_is_printed_while_the_command_is_busy(tmp_path):
    script = "for i in 1 2 3 4 5; do echo $i; sleep 0.2; done"
    argv = [*REDUCE, "--hold", "5", "sh", "-c", script]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
    ) as busy:
        assert busy.stdout is not None
        assert os.read(busy.stdout.fileno(), 100) == b"1\n2\n3\n4\n5\n"


def test_a_program_left_behind_does_not_hold_up_the_exit_status(tmp_path):
    with (tmp_path / "out").open("wb") as out:
        begin = time.monotonic()
        argv = [*REDUCE, "sh", "-c", "(sleep 3; echo late) & echo early; exit 7"]
        done = subprocess.run(argv, stdout=out, cwd=tmp_path, env=environment(tmp_path))
        assert time.monotonic() - begin < 3
    assert done.returncode == 7
    assert (tmp_path / "out").read_bytes() == b"early\n"
    time.sleep(4)
    assert (tmp_path / "out").read_bytes() == b"early\nlate\n"


def test_a_host_that_waits_for_the_end_of_the_output_gets_what_comes_late(tmp_path):
    script = "(sleep 1; echo late) & echo early; exit 7"
    done = run([*REDUCE, "sh", "-c", script], tmp_path)
    assert (done.returncode, done.stdout) == (7, b"early\nlate\n")


def test_a_program_left_behind_lives_on(tmp_path):
    script = "(trap 'echo pipe > died' PIPE; sleep 1; echo a; echo b; echo ok > lived) & exit 0"
    run([*REDUCE, "sh", "-c", script], tmp_path)
    assert (tmp_path / "lived").exists()
    assert not (tmp_path / "died").exists()


@pytest.mark.parametrize(("way", "limit"), [("--raw", 32), ("--reduce", 160)])
def test_100_mb_pass_in_bounded_memory(tmp_path, way, limit):
    produce = "import sys; [sys.stdout.write(f'line {i} of many\\n' * 1000) for i in range(5000)]"
    argv = [*EXEC, way, sys.executable, "-c", produce]
    code = (
        "import resource, subprocess, sys\n"
        "p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)\n"
        "total = sum(len(c) for c in iter(lambda: p.stdout.read(1 << 16), b''))\n"
        "p.wait(); print(p.returncode, total, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = run([sys.executable, "-c", code, *argv], tmp_path)
    status, total, peak_kib = map(int, done.stdout.split())
    assert status == 0
    assert total > 0
    assert peak_kib < limit * 1024
