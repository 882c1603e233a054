from __future__ import annotations

import pytest
from hypothesis import given, settings

from agentctx.cli.digest import Digester
from tests.secrets.samples import TOKENS, private_keys


def printed(text: str) -> str:
    return Digester("env").digest(1, f"{text}\n".encode(), 0).decode()


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENTCTX_DATA", str(tmp_path))


def test_a_token_is_hidden_also_in_a_short_output():
    @settings(max_examples=60, deadline=None)
    @given(TOKENS)
    def hidden(sample):
        kind, token = sample
        assert printed(token).startswith(f"⟪secret:{kind}:")

    hidden()


def test_a_private_key_is_hidden_also_in_a_short_output():
    @settings(max_examples=20, deadline=None)
    @given(private_keys())
    def hidden(key):
        assert printed(key).startswith("⟪secret:private-key:")

    hidden()


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer q8J2kL.z",
        "-H 'authorization: token q8J2kLz0'",
        "x-api-key: q8J2kLz0vT5xWm3n",
        "https://me:q8J@host",
        "aws_secret_access_key=" + "q8J2kLz0vT" * 4,
    ],
)
def test_a_secret_in_its_place_is_hidden_also_in_a_short_output(text):
    assert "⟪secret:" in printed(text)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("DB_PASS", "p(a.s+s[9]x", "p(a.s+s[9]x"),
        ("DB_PASS", "p(a.s+s[9]x", "p%28a.s%2Bs%5B9%5Dx"),
        ("GITHUB_PAT", "zzQ19fk3L", "zzQ19fk3L"),
        ("MY_URL", "postgres://me:Hx82kQzz@host/db", "Hx82kQzz"),
        ("A_TOKEN", "line A9x\nline B8z", "line A9x\nline B8z"),
        ("A_TOKEN", "line A9x\nline B8z", "line A9x\\nline B8z"),
        ("A_SECRET", "pä§sswörd-9Zx", "pä§sswörd-9Zx"),
        ("A_SECRET", "pä§sswörd-9Zx", "p\\u00e4\\u00a7ssw\\u00f6rd-9Zx"),
    ],
)
def test_a_known_value_is_hidden_also_in_a_short_output(monkeypatch, name, value, shown):
    monkeypatch.setenv(name, value)
    assert printed(f"is {shown} here").startswith("is ⟪secret:env:")
