"""How many tokens a text costs, without a network."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

_DATA = Path(__file__).parent / "data"

WINDOW = 1 << 18
"""Characters handed to the tokenizer at once."""

RUN = 1024
"""The longest run without digit or change between blank and non-blank that is counted whole."""

_RATIO = (0.5, 3.0)  # a request that differs more was not the text that was counted
_STEP = 1.25  # one strange sample moves the ratio no further than this
_MEMORY = 16

# No token crosses these two: a line that begins with a letter, a single blank before a word.
_BORDER = re.compile(r"(?<=\n)(?=[A-Za-z])|(?<=\w)(?= [A-Za-z])")
# tiktoken overflows its stack on 10⁶ blanks. The look-behinds keep the search linear.
_LONG = re.compile(rf"(?<![^\s\d])[^\s\d]{{{RUN},}}|(?<!\s)\s{{{RUN},}}")

# Tokens per byte of each kind in o200k_base, fitted by least squares to the outputs of 230 coding
# tasks plus base64, hashes and other scripts, then raised by 5 %. Repeats share a token: hence the
# rebate for each pair of blanks or of punctuation marks.
_PUNCTUATION = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_WEIGHTS = (
    (b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 0.16),
    (b"0123456789", 0.97),
    (b"\n", 1.17),
    (b" \t", 0.36),
    (_PUNCTUATION, 0.80),
    (bytes(range(128, 256)), 0.18),
    (bytes({*range(32), 127} - set(b"\t\n")), 0.50),
)
_BLANK_PAIR, _MARK_PAIR = -0.58, -1.34
_MARKS = bytes.maketrans(_PUNCTUATION, b"." * len(_PUNCTUATION))


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the provider's count of prompt tokens relates to ours.

    `ratio` is actual over counted tokens, learned from `samples` requests.
    """

    ratio: float = 1.0
    samples: int = 0

    def learn(self, counted: int, actual: int) -> Calibration:
        """Return the calibration after one more request.

        Args:
            counted: uncalibrated tokens of the request's text.
            actual: prompt tokens that the provider reported for it.
        """
        if counted <= 0 or actual <= 0:
            return self
        low, high = _RATIO
        if self.samples:
            low, high = max(low, self.ratio / _STEP), min(high, self.ratio * _STEP)
        sample = min(max(actual / counted, low), high)
        samples = self.samples + 1
        return Calibration(self.ratio + (sample - self.ratio) / min(samples, _MEMORY), samples)


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts tokens as one model does, as far as that is known."""

    encoding: str = "o200k_base"
    calibration: Calibration = Calibration()

    @property
    def estimated(self) -> bool:
        """Whether no provider has confirmed a count yet."""
        return not self.calibration.samples

    def count(self, text: str) -> int:
        """Return the tokens of `text`; special-token spellings count as ordinary text."""
        encode = _encoding(self.encoding).encode_ordinary
        tokens = sum(len(encode(piece)) for piece in pieces(text))
        return round(tokens * self.calibration.ratio)

    def calibrate(self, estimated: int, actual: int) -> Counter:
        """Return a counter that has learned from one request.

        Args:
            estimated: tokens of the request as this counter counted them.
            actual: prompt tokens that the provider reported (`Usage.prompt`).
        """
        counted = round(estimated / self.calibration.ratio)
        return replace(self, calibration=self.calibration.learn(counted, actual))


def counter(model: str | None = None) -> Counter:
    """Return the counter for `model` (o200k_base unless it is a GPT-4 or GPT-3.5)."""
    name = (model or "").lower().rsplit("/", 1)[-1]
    older = re.match(r"gpt-(4(?![o.\d])|3\.5|35)|text-embedding-", name)
    return Counter("cl100k_base" if older else "o200k_base")


def pieces(text: str, window: int = WINDOW) -> Iterator[str]:
    """Yield `text` in pieces of bounded size whose token counts add up to its own.

    Only where a window has no border, or a run is longer than `RUN`, is a token cut.
    """
    start = 0
    while start < len(text):
        end = _border(text, start + window)
        yield from _short_runs(text[start:end])
        start = end


def _border(text: str, at: int) -> int:
    found = _BORDER.search(text, at, at + WINDOW)
    return found.start() if found else min(at + WINDOW, len(text))


def _short_runs(text: str) -> Iterator[str]:
    start = 0
    if not _may_run(text):
        yield text
        return
    for run in _LONG.finditer(text):
        for cut in range(run.start(), run.end(), RUN):
            if cut > start:
                yield text[start:cut]
            start = cut
    yield text[start:]


def _may_run(text: str) -> bool:
    """Tell, in a tenth of the time of the search, whether any run may be longer than `RUN`."""
    half = RUN // 2  # a longer run fills one of these blocks
    return any(
        len(text[i : i + half].split(None, 1)) < 2 for i in range(0, len(text) - half + 1, half)
    )


@cache
def _encoding(name: str) -> Encoding:
    import gzip
    import json
    from base64 import b64decode

    from tiktoken import Encoding

    lines = gzip.decompress((_DATA / f"{name}.tiktoken.gz").read_bytes()).splitlines()
    ranks = {b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}
    described = json.loads((_DATA / "encodings.json").read_text(encoding="utf-8"))[name]
    return Encoding(name, mergeable_ranks=ranks, **described)


def estimate(text: str) -> int:
    """Return about how many tokens `text` has, rather too many, without loading a tokenizer."""
    raw = text.encode("utf-8", "replace")
    marks = raw.translate(_MARKS)
    total = sum(weight * (len(raw) - len(raw.translate(None, kind))) for kind, weight in _WEIGHTS)
    total += _BLANK_PAIR * raw.count(b"  ") + _MARK_PAIR * marks.count(b"..")
    return math.ceil(total)
