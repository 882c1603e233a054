import json
import os
import re
import stat
import subprocess
import sys

import pytest

from agentctx.cli import main
from tests.cli.run import AGENTCTX, EXEC, environment, run

LOG = "".join(f"compiling module {i} of 9000\n" for i in range(9000))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("AGENTCTX_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(capfdbinary):
    def call(*args):
        status = main(list(args))
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return call


@pytest.fixture
def handle(here, call):
    (here / "log").write_text(LOG)
    _, out, _ = call("reduce", "--command", "make", "log")
    found = re.search(r"agentctx expand ([0-9a-f]+)\]", out)
    assert found
    return found[1]


COMMANDS = ["exec", "reduce", "expand", "stats", "init", "config", "doctor", "demo", "eval"]


def test_help_lists_every_command(call):
    status, out, _ = call("--help")
    assert status == 0
    assert all(re.search(rf"^\W*{name}\s", out, re.MULTILINE) for name in COMMANDS)


@pytest.mark.parametrize("command", [*COMMANDS, "eval replay"])
def test_every_command_explains_itself(call, command):
    status, out, _ = call(*command.split(), "--help")
    assert status == 0
    assert "Usage: agentctx" in out


@pytest.mark.parametrize("command", [c for c in [*COMMANDS, "eval replay"] if c != "eval"])
def test_every_command_can_print_json(call, command):
    assert "--json" in call(*command.split(), "--help")[1]


@pytest.mark.parametrize(
    "args",
    [
        ["nonsense"],
        ["expand"],
        ["expand", "abcdef", "--lines", "9-1"],
        ["expand", "abcdef", "--lines", "x"],
        ["expand", "abcdef", "--grep", "("],
        ["reduce", "--exit-code", "x"],
        ["stats", "--nonsense"],
        ["eval", "replay"],
        ["eval", "replay", "x", "--jobs", "0"],
    ],
)
def test_wrong_usage_is_one_line_with_a_remedy_and_2(call, args):
    status, out, err = call(*args)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "--help" in err


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["expand", "abcdef"], "no original has the handle 'abcdef'"),
        (["expand", "../../etc"], "no original has the handle"),
        (["reduce", "missing"], "missing: No such file or directory: give a file"),
        (["reduce", "."], "Is a directory"),
        (["eval", "replay", "missing.jsonl"], "'missing.jsonl' cannot be read (No such file"),
        (["eval", "replay", "log", "--policy", "none-such"], "no policy 'none-such'"),
    ],
)
def test_a_failure_is_one_line_and_1(call, args, reason):
    status, out, err = call(*args)
    assert (status, out) == (1, "")
    assert reason in err
    assert err.startswith("agentctx: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("args", [["stats"], ["reduce", "log"], ["config"], ["expand", "abcdef"]])
def test_settings_that_cannot_be_used_are_one_line_and_1(here, call, args):
    (here / "agentctx.toml").write_text("mode = 'sideways'")
    (here / "log").write_text(LOG)
    status, out, err = call(*args)
    assert (status, out) == (1, "")
    assert "use one of off, meter, reduce, full" in err
    assert err.count("\n") == 1


def test_an_unexpected_error_is_one_line_unless_debugging(here, call, monkeypatch):
    monkeypatch.setattr("agentctx.cli.output._read", lambda file: 1 / 0)
    status, _, err = call("reduce", "log")
    assert status == 1
    assert err.count("\n") == 1
    assert "unexpected ZeroDivisionError" in err
    assert "file the traceback as a bug" in err
    with pytest.raises(ZeroDivisionError):
        call("--debug", "reduce", "log")
    monkeypatch.setenv("AGENTCTX_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        call("reduce", "log")


def test_an_interrupt_is_130(call, monkeypatch):
    def interrupted(file):
        raise KeyboardInterrupt

    monkeypatch.setattr("agentctx.cli.output._read", interrupted)
    assert call("reduce", "log")[0] == 130


def test_a_reader_that_leaves_is_no_error(here, handle):
    argv = " ".join([*AGENTCTX, "expand", handle])
    done = run(["sh", "-c", f"{argv} | head -n 1"], here, env=_default_data())
    assert (done.stdout, done.stderr) == (b"compiling module 0 of 9000\n", b"")


def _default_data():
    return {k: v for k, v in os.environ.items() if not k.startswith("AGENTCTX_")}


def test_reduce_reads_stdin_too(here):
    done = run([*AGENTCTX, "reduce"], here, input=LOG.encode())
    assert done.returncode == 0
    assert b"lines hidden" in done.stdout


@pytest.mark.parametrize("data", [b"", b"short\n", b"\xff\xfe\x00", b"a\r\nb"])
def test_reduce_leaves_a_small_output_as_it_is(here, data):
    assert run([*AGENTCTX, "reduce"], here, input=data).stdout == data


def test_reduce_as_json_is_the_reduction(here, call, handle):
    status, out, _ = call("reduce", "--json", "--command", "make", "--exit-code", "2", "log")
    found = json.loads(out)
    assert status == 0
    assert found["tokens_after"] < found["tokens_before"]
    assert len(found["spans"]) == len(found["text"].split("\n"))


def test_expand_prints_the_original(call, handle):
    assert call("expand", handle) == (0, LOG, "")
    assert call("expand", handle.upper())[1] == LOG


@pytest.mark.parametrize("lines", ["3:5", "3-5"])
def test_expand_prints_some_lines(call, handle, lines):
    expected = "".join(LOG.splitlines(keepends=True)[2:5])
    assert call("expand", handle, "--lines", lines)[1] == expected


def test_expand_numbers_the_lines_that_match(call, handle):
    assert call("expand", handle, "--grep", r"module 8\d\d7\b")[1].startswith(
        "8008:compiling module 8007"
    )
    both = call("expand", handle, "--grep", "module 1 ", "--lines", "1:10")
    assert both[1] == "2:compiling module 1 of 9000\n"


def test_expand_of_no_line_is_1(call, handle):
    status, out, err = call("expand", handle, "--grep", "nowhere")
    assert (status, out) == (1, "")
    assert err.count("\n") == 1


def test_expand_as_json_says_what_it_is(call, handle):
    found = json.loads(call("expand", handle, "--json", "--lines", "2:2")[1])
    assert found["command"] == "make"
    assert found["bytes"] == len(LOG)
    assert found["lines"] == [{"number": 2, "text": "compiling module 1 of 9000\n"}]


def test_expand_prints_the_bytes_that_came(here, call):
    raw = b"".join(b"%d \xff\xe9 \xed\xb2\x80 na\xc3\xafve \x00\n" % i for i in range(9000))
    done = run([*AGENTCTX, "reduce", "--command", "make"], here, input=raw)
    found = re.search(rb"agentctx expand ([0-9a-f]+)\]", done.stdout)
    assert found
    assert run([*AGENTCTX, "expand", found[1].decode()], here).stdout == raw


def test_stats_count_what_was_reduced_and_expanded(call, handle):
    call("expand", handle, "--lines", "1:1")
    found = json.loads(call("stats", "--json")[1])
    assert found["reduced"] == 1
    assert found["expanded"] == 1
    assert found["tokens_after"] < found["tokens_before"]
    assert "tokens saved" in call("stats")[1]


def test_stats_price_the_models(here, call):
    from agentctx import Session, Usage

    session = Session("s", data=here / ".agentctx")
    session.record(Usage(input=1000, output=10), model="gpt-5")
    session.record(Usage(input=1000, output=10), model="no-such-model")
    dollars = json.loads(call("stats", "--json")[1])["dollars"]
    assert dollars["gpt-5"] > 0
    assert dollars["no-such-model"] is None
    shown = call("stats")[1]
    assert "price unknown" in shown
    assert "$0.00" in shown


def test_stats_of_a_session_that_is_not_there_are_an_error(call, handle):
    status, out, err = call("stats", "--session", "typo")
    assert (status, out) == (1, "")
    assert "no session 'typo' in" in err
    assert "leave out --session" in err
    assert err.count("\n") == 1


def test_an_unknown_handle_says_where_was_looked(here, call):
    assert f"looked in {here / '.agentctx'}\n" in call("expand", "abcdef")[2]


def test_stats_of_nothing_make_nothing(here, call):
    status, out, _ = call("stats")
    assert status == 0
    assert "Nothing is recorded" in out
    assert json.loads(call("stats", "--json")[1])["observations"] == 0
    assert list(here.iterdir()) == []


def test_init_makes_a_private_folder_that_git_ignores(here, call):
    status, out, _ = call("init")
    assert status == 0
    assert "Next:" in out
    assert stat.S_IMODE((here / ".agentctx").stat().st_mode) == 0o700
    subprocess.run(["git", "init", "-q"], cwd=here, check=True)
    assert run(["git", "status", "--porcelain"], here).stdout == b""
    assert json.loads(call("init", "--json")[1]) == {
        "data": str(here / ".agentctx"),
        "created": False,
    }


def test_init_is_made_here_even_below_another(here, call, monkeypatch):
    call("init")
    (here / "sub").mkdir()
    monkeypatch.chdir(here / "sub")
    call("init")
    assert (here / "sub" / ".agentctx").is_dir()


def test_config_says_where_each_value_comes_from(here, call, monkeypatch):
    (here / "agentctx.toml").write_text("min_tokens = 200\nobservation_tokens = 3000")
    monkeypatch.setenv("AGENTCTX_OBSERVATION_TOKENS", "5000")
    found = json.loads(call("config", "--json")[1])
    assert found["min_tokens"] == {"value": 200, "source": str(here / "agentctx.toml")}
    assert found["observation_tokens"]["source"] == "AGENTCTX_OBSERVATION_TOKENS"
    assert found["mode"] == {"value": "reduce", "source": "default"}
    assert found["exclude_tools"]["value"] == []
    assert found["archive_cap"]["value"] is None
    assert found["data"]["value"] == str(here / ".agentctx")
    assert "min_tokens" in call("config")[1]


def test_the_version_is_told(call):
    from agentctx import __version__

    assert call("--version")[1] == f"agentctx {__version__}\n"


HEAVY = {"typer", "click", "rich", "pydantic", "sqlalchemy", "tiktoken", "re2", "zstandard"}


@pytest.mark.parametrize("way", ["--reduce", "--raw", "--help"])
def test_a_small_command_loads_no_library(here, way):
    argv = [sys.executable, "-X", "importtime", *EXEC[1:], way, "true"]
    done = subprocess.run(argv, cwd=here, env=environment(here), capture_output=True, text=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    ours = {name for name in loaded if name.startswith("agentctx")}
    assert {name.partition(".")[0] for name in loaded} & HEAVY == set()
    assert all(name in ("agentctx", "agentctx.__main__") or ".cli" in name for name in ours)
    assert not loaded & {"dataclasses", "subprocess", "argparse", "asyncio", "json", "tempfile"}


def test_a_closed_stdin_is_told_in_one_line(tmp_path):
    done = run(["sh", "-c", 'exec "$@" <&-', "sh", *AGENTCTX, "reduce"], tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(b"agentctx: -: Bad file descriptor: give a file")


@pytest.mark.parametrize("command", ["log -", "commit -", "handoff --known -"])
def test_memory_tells_a_closed_stdin_in_one_line_too(command, tmp_path):
    words = [*AGENTCTX, "memory", *command.split()]
    done = run(["sh", "-c", 'exec "$@" <&-', "sh", *words], tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(b"agentctx: -: Bad file descriptor: give a file")
