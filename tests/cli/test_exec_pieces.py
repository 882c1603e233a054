import json
import os
import re
import select
import subprocess
import sys
import time

import pytest

from tests.cli.run import AGENTCTX, EXEC, environment, run

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


@pytest.mark.parametrize(
    ("way", "megabytes", "limit"),
    [
        ("--raw", 100, 24),
        ("--reduce", 10, 80),
        pytest.param("--reduce", 100, 80, marks=pytest.mark.long),
    ],
)
def test_large_outputs_pass_in_bounded_memory(tmp_path, way, megabytes, limit):
    line = b"2026-01-01 INFO worker processed one more item of the batch in 3 ms\n"
    (tmp_path / "log").write_bytes(line * (megabytes * 10**6 // len(line)))
    status, total, peak_kib = measured(tmp_path, way)
    assert status == 0
    size = (tmp_path / "log").stat().st_size
    assert total == size if way == "--raw" else 0 < total < size / 10
    assert peak_kib < limit * 1024


def test_memory_is_bounded_where_much_of_each_piece_is_shown(tmp_path):
    with (tmp_path / "log").open("w") as log:
        for i in range(24_000):
            log.writelines(f"error: item {i} at src/file_{j}.py:{i}\n" for j in range(10))
            log.writelines(f"working on part {j} of {i}, nothing to see here\n" for j in range(10))
    size = (tmp_path / "log").stat().st_size
    status, total, peak_kib = measured(tmp_path, "--reduce")
    assert status == 0
    assert size / 3 < total < size * 2 / 3
    assert peak_kib < 80 * 1024


def measured(folder, way):
    """Return status, bytes printed and peak memory of `exec` that reads a log of the folder."""
    measure = (
        "import resource, subprocess, sys\n"
        "p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)\n"
        "total = sum(len(c) for c in iter(lambda: p.stdout.read(1 << 16), b''))\n"
        "p.wait(); print(p.returncode, total, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    argv = [sys.executable, "-c", measure, *EXEC, way, "cat", "log"]
    return map(int, run(argv, folder, timeout=600).stdout.split())


def test_a_long_output_is_reduced_and_all_of_it_comes_back(tmp_path):
    lines = b"".join(b"compiling module %d of 9000\n" % i for i in range(9000))
    (tmp_path / "log").write_bytes(lines)
    out = run([*REDUCE, "sh", "-c", "cat log; exit 3"], tmp_path)
    assert out.returncode == 3
    assert len(out.stdout) < len(lines) / 2
    handle = re.search(rb"agentctx expand ([0-9a-f]+)\]", out.stdout)
    assert handle
    assert run([*AGENTCTX, "expand", handle[1].decode()], tmp_path).stdout == lines


def test_bytes_that_are_no_text_survive_reducing_and_come_back(tmp_path):
    lines = b"".join(b"\xff\xfe %d \x80 na\xc3\xafve\n" % (i * 7919) for i in range(4000))
    (tmp_path / "log").write_bytes(lines)
    out = run([*REDUCE, "sh", "-c", "sort log; make -v >/dev/null"], tmp_path).stdout
    handle = re.search(rb"agentctx expand ([0-9a-f]+)\]", out)
    assert handle
    assert out.startswith(sorted(lines.splitlines())[0])
    back = run([*AGENTCTX, "expand", handle[1].decode()], tmp_path).stdout
    assert sorted(back.splitlines()) == sorted(lines.splitlines())


def test_one_endless_line_is_not_lost(tmp_path):
    (tmp_path / "log").write_bytes(b"".join(b"%06x" % n for n in range(500_000)))
    out = run([*REDUCE, "cat", "log"], tmp_path).stdout
    handles = re.findall(rb"agentctx expand ([0-9a-f]+)", out)
    shown = sum(len(run([*AGENTCTX, "expand", h.decode()], tmp_path).stdout) for h in set(handles))
    assert handles
    assert shown == 3_000_000


@pytest.mark.parametrize("shown", ["expand", "expand --json"])
def test_what_agentctx_expands_is_not_reduced_again(tmp_path, shown):
    lines = b"".join(b"step %d\n" % i for i in range(9000))
    (tmp_path / "log").write_bytes(lines)
    out = run([*REDUCE, "sh", "-c", "true; ./log || cat log"], tmp_path).stdout
    handle = re.search(rb"expand ([0-9a-f]+)\]", out)
    assert handle
    inner = [*AGENTCTX, *shown.split(), handle[1].decode()]
    again = run([*REDUCE, " ".join(inner)], tmp_path).stdout
    assert again == run(inner, tmp_path).stdout


def _no_settings(folder):
    (folder / "agentctx.toml").write_text("mode = [")


def _no_folder(folder):
    (folder / "data").write_text("a file where the folder should be")


def _no_key(folder):
    (folder / "data").mkdir()
    (folder / "data" / "redaction.key").write_text("short")


def _no_ledger(folder):
    (folder / "data").mkdir()
    (folder / "data" / "state.db").write_text("no database" * 1000)


def _no_archive(folder):
    (folder / "data").mkdir()
    (folder / "data" / "archive").write_text("a file where the folder should be")


@pytest.mark.parametrize("broken", [_no_settings, _no_folder, _no_key, _no_archive])
@pytest.mark.parametrize("limit", ["", "ulimit -f 2; "])
def test_whatever_happens_to_us_the_output_and_the_exit_code_go_through(tmp_path, broken, limit):
    lines = b"".join(b"step %d\n" % i for i in range(9000))
    (tmp_path / "log").write_bytes(lines)
    broken(tmp_path)
    script = f"{limit}exec {' '.join(REDUCE)} sh -c 'cat log; exit 3'"
    out = run(["sh", "-c", script], tmp_path)
    assert (out.returncode, out.stdout) == (3, lines)
    assert out.stderr.count(b"\n") <= 1
    assert b"Traceback" not in out.stderr


def test_a_full_disk_hides_nothing(tmp_path):
    lines = b"".join(b"step %d\n" % i for i in range(9000))
    (tmp_path / "log").write_bytes(lines)
    script = f"ulimit -f 2; exec {' '.join(REDUCE)} sh -c 'cat log; exit 3'"
    out = run(["sh", "-c", script], tmp_path)
    assert (out.returncode, out.stdout) == (3, lines)
    assert b"Traceback" not in out.stderr


def test_a_broken_ledger_does_not_keep_the_original_from_coming_back(tmp_path):
    lines = b"".join(b"step %d\n" % i for i in range(9000))
    (tmp_path / "log").write_bytes(lines)
    _no_ledger(tmp_path)
    out = run([*REDUCE, "cat", "log"], tmp_path)
    handle = re.search(rb"agentctx expand ([0-9a-f]+)\]", out.stdout)
    shown = (
        run([*AGENTCTX, "expand", handle[1].decode()], tmp_path).stdout if handle else out.stdout
    )
    assert shown == lines


def test_a_secret_is_taken_out_of_small_and_large_outputs(tmp_path):
    secret = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT" + "1vW4xY7zA0bC3dE6"
    env = environment(tmp_path, MY_API_TOKEN="correct-horse-battery-7719")
    for filler in (0, 50, 9000):
        script = f"echo {secret}; echo $MY_API_TOKEN; seq {filler}"
        out = run([*REDUCE, "sh", "-c", script], tmp_path, env=env).stdout
        assert secret.encode() not in out
        assert b"correct-horse" not in out
        assert out.count("⟪secret:".encode()) == 2


@pytest.mark.parametrize("broken", [_no_settings, _no_folder, _no_key])
def test_secrets_stay_in_even_when_nothing_can_be_stored(tmp_path, broken):
    broken(tmp_path)
    env = environment(tmp_path, MY_API_TOKEN="correct-horse-battery-7719")
    out = run([*REDUCE, "sh", "-c", "echo $MY_API_TOKEN; seq 9000; exit 3"], tmp_path, env=env)
    assert out.returncode == 3
    assert b"correct-horse" not in out.stdout
    assert out.stdout.endswith(b"\n8999\n9000\n")


def test_another_program_of_the_pipeline_still_gets_the_secret(tmp_path):
    env = environment(tmp_path, MY_API_TOKEN="correct-horse-battery-7719")
    script = f"{' '.join(EXEC)} printenv MY_API_TOKEN | wc -c"
    assert run(["sh", "-c", script], tmp_path, env=env).stdout.strip() == b"27"


def test_json_says_what_each_piece_was_and_how_the_command_ended(tmp_path):
    script = "seq 9000; echo oops >&2; kill -9 $$"
    done = run([*EXEC, "--reduce", "--json", "sh", "-c", script], tmp_path)
    *pieces, last = [json.loads(line) for line in done.stdout.splitlines()]
    by_stream = {piece["stream"]: piece for piece in pieces}
    assert by_stream["stderr"]["text"] == "oops\n"
    assert by_stream["stdout"]["handle"]
    assert by_stream["stdout"]["tokens_after"] < by_stream["stdout"]["tokens_before"]
    assert last == {"exit_code": 137, "signal": 9}
