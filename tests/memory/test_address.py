import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import RemoteError
from agentctx.memory.remote.address import address, holds_credentials

FINE = [
    "https://github.com/me/memory.git",
    "https://user:token@host.example/x",
    "ssh://git@host:2222/x.git",
    "git@github.com:me/memory.git",
    "host:memory.git",
    "file:///srv/memory.git",
]
BAD = [
    "",
    " ",
    "-oProxyCommand=x",
    "--upload-pack=touch /tmp/x",
    "ext::sh -c touch% /tmp/x",
    "fd::17",
    "foo::bar",
    "ssh://-oProxyCommand=x/y",
    "ssh://user@-oProxyCommand=x/y",
    "-x@host:path",
    "user@-host:path",
    "host:-path",
    "ftp://host/x",
    "https://",
    "https:///x",
    "a\nb",
    "a\x00b",
    "x" * 3000,
]


@pytest.mark.parametrize("text", FINE)
def test_an_address_that_git_understands_is_taken_as_it_is(text):
    assert address(text) == text


@pytest.mark.parametrize("text", BAD)
def test_what_could_be_an_option_or_a_program_is_refused_in_one_line(text):
    with pytest.raises(RemoteError) as found:
        address(text)
    assert "\n" not in str(found.value)
    assert "write https://" in str(found.value)


def test_a_path_becomes_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert address("other/memory.git") == str(tmp_path / "other/memory.git")


@given(st.text(max_size=60))
def test_whatever_is_taken_is_no_option_and_calls_no_helper(text):
    try:
        found = address(text)
    except RemoteError:
        return
    assert not found.startswith("-")
    assert "::" not in found.split("/")[0]


def test_the_home_of_nobody_is_told() -> None:
    with pytest.raises(RemoteError, match="no such user"):
        address("~nobody-at-all/memory.git")


def test_a_refused_address_is_shown_without_its_password():
    with pytest.raises(RemoteError) as found:
        address("ftp://me:hunter2@host/x")
    assert "hunter2" not in str(found.value)


def test_a_password_in_an_address_is_seen():
    assert holds_credentials("https://me:token@host/x")
    assert not holds_credentials("ssh://git@host/x")
    assert not holds_credentials("git@host:x")
