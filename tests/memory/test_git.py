import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pygit2
import pytest

from agentctx.errors import RemoteError
from agentctx.memory.remote.git import Git, said, without_credentials
from tests.processes import posix


@pytest.fixture
def bare(tmp_path):
    path = tmp_path / "bare.git"
    subprocess.run(["git", "init", "-q", "--bare", path], check=True)
    return path


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Return a function that puts a script in the place of git."""

    def stand_in(script):
        folder = tmp_path / "bin"
        folder.mkdir()
        tool = folder / "git"
        tool.write_text(f"#!{sys.executable}\n{script}")
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return stand_in


def test_git_says_what_it_is_asked(bare):
    assert Git(bare).run("rev-parse", "--is-bare-repository").strip() == "true"


def test_words_are_never_options(bare, tmp_path):
    mark = tmp_path / "mark"
    with pytest.raises(RemoteError):
        Git(bare).run("ls-remote", words=[f"--upload-pack=touch {mark}"])
    assert not mark.exists()


def test_a_remote_helper_is_not_run(bare, tmp_path):
    mark = tmp_path / "mark"
    with pytest.raises(RemoteError, match="ext"):
        Git(bare).run("fetch", words=[f"ext::touch {mark}"])
    assert not mark.exists()


def test_no_variable_of_git_reaches_it(bare, tmp_path, monkeypatch):
    other = tmp_path / "objects"
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.bare")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "false")
    assert Git(bare).run("rev-parse", "--is-bare-repository").strip() == "true"
    found = Git(bare).run("rev-parse", "--git-path", "objects").strip()
    assert Path(bare, found).resolve() == (bare / "objects").resolve()
    assert os.environ["GIT_DIR"] == str(tmp_path / "elsewhere")


@posix
def test_a_hook_of_the_repository_is_not_run(bare, tmp_path):
    mark, hook = tmp_path / "mark", bare / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    other = pygit2.init_repository(str(tmp_path / "other.git"), bare=True)
    who = pygit2.Signature("x", "x@x", 0, 0)
    made = other.create_commit("refs/heads/main", who, who, "x", other.TreeBuilder().write(), [])
    Git(bare).run("fetch", "--quiet", words=[other.path, "+refs/heads/*:refs/heads/*"])
    assert Git(bare).run("rev-parse", "refs/heads/main").strip() == str(made)
    assert not mark.exists()


@posix
def test_what_takes_too_long_is_ended_with_all_that_it_started(bare, stand_in, tmp_path):
    mark = tmp_path / "mark"
    child = f"import time; time.sleep(2); open({str(mark)!r}, 'w')"
    stand_in(
        f"import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', {child!r}])\n"
        "time.sleep(60)"
    )
    began = time.monotonic()
    with pytest.raises(RemoteError, match="took longer than 1 s"):
        Git(bare, timeout=1).run("fetch")
    assert time.monotonic() - began < 10
    time.sleep(2)
    assert not mark.exists()


@posix
def test_git_has_no_terminal_to_ask_at(bare, stand_in):
    stand_in(
        "import os, sys\n"
        "print(os.environ.get('GIT_TERMINAL_PROMPT'), sys.stdin.read() == '', os.getsid(0) == os.getpid())"
    )
    assert Git(bare).run("fetch").split() == ["0", "True", "True"]


def test_git_that_is_not_there_is_said_in_one_line(bare, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RemoteError, match="git is not installed: install it"):
        Git(bare).run("fetch")


def test_credentials_leave_what_git_says():
    err = "remote: no\nfatal: unable to access 'https://me:s3cret@host/x/': 403\n"
    assert "s3cret" not in said(err)
    assert "403" in said(err)
    assert without_credentials("see https://tok@h/x") == "see https://h/x"


def test_several_threads_may_use_it(bare):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(Git(bare).run("rev-parse", "--git-dir")))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
