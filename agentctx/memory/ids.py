"""Ids that sort by time and are the same on every branch: 45 bits of milliseconds, 35 of chance."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from threading import Lock

LENGTH = 16
ID = re.compile(r"[0-9a-hjkmnp-tv-z]{16}")

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32
_CHANCE = 35


class _Sequence:
    def __init__(self) -> None:
        self._lock, self._last = Lock(), 0

    def following(self, value: int, after: int) -> int:
        with self._lock:
            self._last = max(value, self._last + 1, after + 1)
            return self._last


_made = _Sequence()


def new(now: float | None = None, after: str = "") -> str:
    """Return a fresh id, greater than every one that this process made before, and than `after`.

    Args:
        now: seconds since 1970; the default is the clock.
        after: an id that the new one has to follow, for clocks that run backwards.
    """
    milliseconds = int((time.time() if now is None else now) * 1000)
    value = milliseconds << _CHANCE | secrets.randbits(_CHANCE)
    return _text(_made.following(value, _number(after)))


def derived(at: float, seed: str) -> str:
    """Return the id that belongs to a moment and a text: always the same one.

    Args:
        at: seconds since 1970.
        seed: what tells it from others of that moment.
    """
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    chance = int.from_bytes(digest[:8], "big") % (1 << _CHANCE)
    return _text(max(round(at * 1000), 0) << _CHANCE | chance)


def seconds(id: str) -> float:
    """Return when an id was made, in seconds since 1970."""
    return (_number(id) >> _CHANCE) / 1000


def _text(value: int) -> str:
    return "".join(_ALPHABET[value >> 5 * place & 31] for place in reversed(range(LENGTH)))


def _number(id: str) -> int:
    value = 0
    for character in id:
        value = value << 5 | _ALPHABET.index(character)
    return value
