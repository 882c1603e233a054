"""What is no secret though it stands where one could: words, templates, the passwords of manuals."""

from __future__ import annotations

import re

_TEMPLATE = re.compile(r"[$<{\[%(*]|.*(?:\$\{|\{\{|\.\.\.|\[\^|%\()", re.DOTALL)
_CHUNK = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_MANUAL = frozenset(
    "123 1234 12345 123456 1234567 12345678 123456789 abc123 admin admin123 bar changeme demo "
    "dummy example fake foo guest hunter2 letmein mypass mypassword mysql none null pass pass123 "
    "passw0rd passwd password password1 password123 postgres pswd pwd qwerty redacted redis root "
    "sample secret secret123 test test123 test1234 testing token user username welcome".split()
)


def is_template(value: str) -> bool:
    """Return whether a variable, a gap or a pattern stands in the secret's place."""
    return _TEMPLATE.match(value) is not None or len({*value}) < 3


def is_wordy(value: str) -> bool:
    """Return whether `value` is made of words: no digits, and few changes of case."""
    chunks = _CHUNK.findall(value)
    letters = sum(map(len, chunks))
    return not any(map(str.isdigit, value)) and letters >= 3.5 * max(len(chunks), 1)


def is_manual(value: str) -> bool:
    """Return whether `value` is a password that manuals and test set-ups use."""
    return value.lower() in _MANUAL
