import gzip
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx import tokens
from agentctx.tokens import Calibration, Counter, counter, estimate

DATA = Path(tokens.__file__).parent / "data"
PUBLISHED = {  # from tiktoken_ext/openai_public.py
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
LOGS = st.lists(
    st.sampled_from(
        ["foo", "Bar", " ", "  ", "\n", "\r\n", "\t", "12345", "_x", "};\n/", "/", "é", "\u0301",
         "日本", "🎉", "'s", " a", "==", "\n\n  ", "<|endoftext|>", "\u3000", "٣", "\x0b"]
    )
).map("".join)  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_bundled_vocabulary_is_the_published_one(name):
    unpacked = gzip.decompress((DATA / f"{name}.tiktoken.gz").read_bytes())
    assert hashlib.sha256(unpacked).hexdigest() == PUBLISHED[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_tokens_are_those_of_tiktoken(name, tmp_path, monkeypatch):
    from tiktoken_ext import openai_public

    address = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
    cached = tmp_path / hashlib.sha1(address.encode()).hexdigest()
    cached.write_bytes(gzip.decompress((DATA / f"{name}.tiktoken.gz").read_bytes()))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    theirs = getattr(openai_public, name)()
    ours = tokens._encoding(name)
    assert theirs["pat_str"] == ours._pat_str
    assert theirs["special_tokens"] == ours._special_tokens
    assert theirs["mergeable_ranks"] == ours._mergeable_ranks


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4", "cl100k_base"),
        ("gpt-4-0613", "cl100k_base"),
        ("openai/gpt-4-turbo", "cl100k_base"),
        ("azure/gpt-35-turbo", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4.1", "o200k_base"),
        ("gpt-5.1", "o200k_base"),
        ("claude-opus-4-6", "o200k_base"),
        ("no such model", "o200k_base"),
        (None, "o200k_base"),
    ],
)
def test_the_vocabulary_follows_the_model(model, encoding):
    assert counter(model).encoding == encoding


def test_special_tokens_in_logs_are_text():
    assert counter().count("<|endoftext|>") > 1


@given(LOGS, st.integers(1, 40), st.sampled_from(sorted(PUBLISHED)))
def test_pieces_lose_nothing_and_their_counts_add_up(text, window, name):
    encode = tokens._encoding(name).encode_ordinary
    found = list(tokens.pieces(text, window))
    assert "".join(found) == text
    assert sum(len(encode(piece)) for piece in found) == len(encode(text))


@given(st.text())
def test_any_text_can_be_counted(text):
    assert counter().count(text) == len(tokens._encoding("o200k_base").encode_ordinary(text))
    assert (estimate(text) > 0) == (text != "")


def test_lone_surrogates_are_counted():
    assert counter().count("a\udc80b") > 0
    assert estimate("a\udc80b") > 0


@pytest.mark.parametrize("unit", ["a", " ", "=", "\n", "é", "aB", "ab 12 ", '{"a":[1]},', "\u3000"])
def test_a_megabyte_without_a_break_is_counted(unit):  # tiktoken alone overflows its stack on some
    found = counter().count(unit * (1_000_000 // len(unit)))
    sample = tokens._encoding("o200k_base").encode_ordinary(unit * (10_000 // len(unit)))
    assert found == pytest.approx(len(sample) * 100, rel=0.2)


@pytest.mark.parametrize("unit", ["a", " ", "x" * (tokens.RUN - 1) + " "])
def test_ten_megabytes_in_one_line_are_counted_in_bounded_time(unit):
    start = time.perf_counter()
    assert counter().count(unit * (10_000_000 // len(unit))) > 10_000
    assert time.perf_counter() - start < 60  # a quadratic search would take hours


def test_a_counter_is_estimated_until_a_provider_confirms():
    fresh = counter("claude-opus-4-6")
    assert fresh.estimated
    assert not fresh.calibrate(1000, 1200).estimated
    assert fresh.calibrate(0, 1200) == fresh
    assert fresh.calibrate(1000, 0) == fresh


@given(st.floats(0.6, 2.8), st.integers(1000, 200_000))
def test_calibration_finds_the_true_ratio(ratio, counted):
    calibrated = counter()
    for _ in range(40):
        said = round(counted * calibrated.calibration.ratio)
        calibrated = calibrated.calibrate(said, round(counted * ratio))
    assert calibrated.calibration.ratio == pytest.approx(ratio, rel=0.01)


@given(st.lists(st.tuples(st.integers(-5, 10**9), st.integers(-5, 10**9)), max_size=30))
def test_a_ratio_stays_within_bounds_whatever_is_reported(samples):
    calibration = Calibration()
    for counted, actual in samples:
        calibration = calibration.learn(counted, actual)
        assert 0.5 <= calibration.ratio <= 3.0


def test_one_strange_report_hardly_moves_a_settled_ratio():
    settled = Calibration(1.2, 20)
    assert settled.learn(1000, 90_000).ratio == pytest.approx(1.2, rel=0.02)


def test_counts_scale_with_the_ratio():
    text = "the quick brown fox " * 100
    plain = counter().count(text)
    assert Counter(calibration=Calibration(1.5, 3)).count(text) == round(plain * 1.5)


@pytest.mark.parametrize(
    "text",
    [
        '  File "/usr/lib/python3.11/site-packages/django/db/models/query.py", line 1204, in get\n',
        "src/app/main.py:214:    return self.parse(value, strict=True)\n",
        "drwxr-xr-x  2 root root    4096 Nov 30 22:26 terminal\n",
        "tests/test_views.py::TestIndex::test_get_returns_200 PASSED                 [ 45%]\n",
    ],
)
def test_an_estimate_is_near_the_count(text):
    assert estimate(text * 50) == pytest.approx(counter().count(text * 50), rel=0.4)


def test_estimating_and_importing_load_no_tokenizer():
    code = "import sys; from agentctx.tokens import estimate; estimate('x'); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"tiktoken", "pydantic", "re2"} & set(run.stdout.split())


def test_counting_needs_no_network():
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise SystemExit('network used')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from agentctx.tokens import counter\n"
        "print(counter().count('hello world'), counter('gpt-4').count('hello world'))"
    )
    env = {**os.environ, "TIKTOKEN_CACHE_DIR": "/nonexistent"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert run.stdout.split() == ["2", "2"], run.stderr
