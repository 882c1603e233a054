import base64
import re
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import RedactionError
from agentctx.secrets import Redactor
from agentctx.secrets.redactor import DefaultRedactor
from tests.secrets.samples import ALNUM, HEX, KEY_LINE, TOKENS, private_keys, run, varied
from tests.shared import SHARED, needs_shared

KEY = b"k" * 32
PLAIN: Redactor = DefaultRedactor(KEY, {})
PLACEHOLDER = re.compile(r"⟪secret:([a-z-]+):[0-9a-f]{8}⟫")
AROUND = st.text(st.characters(exclude_characters=ALNUM + "_-+/=.")).map(lambda text: f" {text} ")


@given(TOKENS, AROUND, AROUND)
def test_no_planted_token_survives(token, before, after):
    kind, secret = token
    redacted = PLAIN.redact(f"{before}{secret}{after}")
    assert secret not in redacted
    assert kind in PLACEHOLDER.findall(redacted)
    assert redacted.startswith(before)
    assert redacted.endswith(after)


@given(
    st.lists(TOKENS, min_size=1, max_size=5), st.sampled_from([" ", "\n", ",", '"', "\t", "=", ";"])
)
def test_tokens_side_by_side_are_all_found(tokens, gap):
    redacted = PLAIN.redact(gap.join(secret for _, secret in tokens))
    assert not [secret for _, secret in tokens if secret in redacted]
    assert redacted.count("\n") == (len(tokens) - 1 if gap == "\n" else 0)


@given(st.lists(st.one_of(st.text(), TOKENS.map(lambda token: token[1]), private_keys())))
def test_redacting_twice_changes_nothing_more(parts):
    once = PLAIN.redact("".join(parts))
    assert PLAIN.redact(once) == once


@given(private_keys(), st.sampled_from(["", "    ", "+", "> ", "  12\t", '"']))
def test_no_line_of_a_private_key_survives(pem, prefix):
    printed = "\n".join(f"{prefix}{line}" for line in pem.split("\n"))
    for text in (printed, printed.replace("\n", "\\n"), printed.replace("\n", "\r\n")):
        redacted = PLAIN.redact(f"before\n{text}\nafter\n")
        assert not [line for line in pem.split("\n")[1:-1] if len(line) > 15 and line in redacted]
        assert redacted.startswith("before\n")
        assert redacted.endswith("\nafter\n")


@given(private_keys(), st.data())
def test_a_private_key_cut_off_anywhere_is_hidden(pem, data):
    lines = pem.split("\n")
    cut = data.draw(st.integers(min_value=len(lines[0]) + 20, max_value=len(pem) - 1))
    for part in (pem[:cut], "\n".join(lines[1:])):
        redacted = PLAIN.redact(part)
        assert not [line for line in lines[1:-2] if line in redacted]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("git clone https://bob:tr0ub4dor@host/x.git", "tr0ub4dor"),
        ("postgres://app:S3cr%2Ft@db:5432/app", "S3cr%2Ft"),
        ("redis://:9fj2kd8s@localhost:6379", "9fj2kd8s"),
        ("> Authorization: Bearer abcDEF123456_-.", "abcDEF123456_-."),
        ("'authorization': 'Basic dXNlcjpodW50ZXI='", "dXNlcjpodW50ZXI="),
        ("curl -H 'X-Api-Key: 9f8e7d6c5b4a39281706'", "9f8e7d6c5b4a39281706"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY",
            "wJalrXUtnFEMI/K7MDENG",
        ),
    ],
)
def test_secrets_known_by_their_place_are_hidden(text, secret):
    redacted = PLAIN.redact(text)
    assert secret not in redacted
    assert PLACEHOLDER.search(redacted)


@pytest.mark.parametrize(
    "text",
    [
        "postgres://user:password@localhost/db",
        "https://$USER:$TOKEN@github.com/x",
        "https://{user}:{password}@{host}/",
        "http://localhost:8080/a@b",
        "git@github.com:org/repo.git",
        "re.compile(r'://[^:]+:[^@]+@')",
        "Authorization: Bearer <token>",
        "Authorization: Bearer your-token-here",
        "Bearer authentication is required for this request",
        "the sk-fading-circle-animation class",
        "task-abcdefabcdefabcdefabcdefabcdefabcdefabcdef",
        "if line == '-----BEGIN PRIVATE KEY-----':",
        "between -----BEGIN RSA PRIVATE KEY----- and -----END RSA PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIB\n-----END CERTIFICATE-----",
        "TOKEN=$GITHUB_TOKEN password: ******** xoxb-... AKIA... npm_config_registry",
        "session=eyJ0ZXN0aW5nIjo0Mn0.aR0RxQ.4kHl_pEqM6QGbhK0Ah1Dr7mAR1E",
    ],
)
def test_look_alikes_stay_as_they_are(text):
    assert PLAIN.redact(text) == text


ORDINARY = st.one_of(
    run(HEX, 40),
    run(HEX, 64).map("sha256:{}".format),
    st.uuids().map(str),
    st.binary(min_size=32, max_size=64).map(lambda raw: f"sha512-{base64.b64encode(raw).decode()}"),
    st.datetimes().map(str),
    st.integers().map(str),
    st.sampled_from(
        ["commit ", "index 83db48f..bf2a1c0 100644\n", "PASSED", "/usr/lib/x.py:12", "\n"]
    ),
)


@given(st.lists(ORDINARY, max_size=12))
def test_hashes_ids_and_dates_in_logs_stay_as_they_are(parts):
    text = " ".join(parts)
    assert PLAIN.redact(text) == text


@given(varied(run(ALNUM + "!#%&*+:;?@^~$'\"\\ éß", 12, 60)).filter(str.isprintable), AROUND)
def test_the_value_of_a_secret_variable_is_hidden_wherever_it_stands(value, around):
    value = f"q{value}9"
    redactor = DefaultRedactor(KEY, {"SERVICE_TOKEN": value})
    redacted = redactor.redact(f"{around}{value}{around}x{value}x")
    assert value not in redacted
    assert len(PLACEHOLDER.findall(redacted)) == 2
    assert redactor.redact(redacted) == redacted


def test_a_value_is_found_as_urls_and_json_spell_it():
    redactor = DefaultRedactor(KEY, {"DB_PASSWORD": 'p/9"é ü&x7'})
    redacted = redactor.redact(
        "p%2F9%22%C3%A9%20%C3%BC%26x7 " + r"p/9\"\u00e9 \u00fc&x7 p/9\"é ü&x7"
    )
    assert len({*redacted.split()}) == 1
    assert len(PLACEHOLDER.findall(redacted)) == 3


@given(TOKENS)
def test_a_placeholder_does_not_depend_on_knowing_the_value(token):
    _, secret = token
    known = DefaultRedactor(KEY, {"MY_TOKEN": secret})
    assert known.redact(f"a {secret} b") == PLAIN.redact(f"a {secret} b")


def test_a_value_that_stands_in_a_placeholder_does_not_break_it():
    token = "h" + "f_" + "a1B2c3D4e5" * 4
    redactor = DefaultRedactor(KEY, {"A_TOKEN": "huggingface-token"})
    assert redactor.redact(token) == PLAIN.redact(token)
    assert redactor.redact(PLAIN.redact(token)) == PLAIN.redact(token)
    assert "huggingface-token" not in redactor.redact("it is huggingface-token")


def test_placeholders_depend_on_the_key_and_on_the_value():
    one, two = ("gh" + "p_" + letter * 18 + "0aB1cD2eF3gH4iJ5kL" for letter in "xy")
    made = {PLAIN.redact(one), PLAIN.redact(two), DefaultRedactor(b"z" * 32, {}).redact(one)}
    assert len(made) == 3


@given(st.text(st.characters(codec=None)), TOKENS)
def test_bytes_that_are_no_text_come_through(text, token):
    broken = text + "\udc80\udcff"
    assert PLAIN.redact(broken) == broken
    assert PLAIN.redact(f"{broken} {token[1]} {broken}").startswith(broken)


@pytest.mark.parametrize("wrong", [None, b"bytes", 7])
def test_what_cannot_be_redacted_is_withheld(wrong):
    with pytest.raises(RedactionError, match="withheld"):
        PLAIN.redact(wrong)


@given(st.lists(KEY_LINE, min_size=1, max_size=30))
def test_base64_without_a_key_around_it_stays(lines):
    text = "\n".join(lines)
    assert PLAIN.redact(text) == text


def test_a_long_text_of_near_misses_is_read_in_linear_time():
    for unit in ("eyJ", "://", "sk-", "-----BEGIN PRIVATE KEY-----", "bearer ", "A:", " ", "ghp_"):
        text = unit * (1_000_000 // len(unit))
        assert PLAIN.redact(text) == text


@needs_shared
def test_real_outputs_hold_no_false_alarm():
    for path in (SHARED / "data" / "outputs").rglob("*.txt"):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        assert PLAIN.redact(text) == text, path


def test_uuids_are_no_secrets_even_in_headers_of_another_kind():
    text = f"x-request-id: {uuid.UUID(int=7)}"
    assert PLAIN.redact(text) == text
