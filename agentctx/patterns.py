"""Regular expressions whose time is linear in the text, whoever wrote them (RE2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Pattern: TypeAlias = Any
"""An RE2 program; the library ships no types."""


def compiled(pattern: str | bytes, *, memory: int | None = None, latin1: bool = False) -> Pattern:
    """Return the program of a pattern; the library remembers those that it compiled last.

    Args:
        pattern: what to compile; bytes when it is `latin1`.
        memory: bytes it may use before it falls back to a slower matcher; RE2's own 8 MiB if None.
        latin1: whether each byte of a text is a character, and not each UTF-8 sequence.

    Raises:
        ValueError: it is "not an RE2 pattern (why): mend it"; the pattern, which may hold a secret,
            is not named.
    """
    import re2  # loaded on first use: most commands match nothing

    options = re2.Options()
    options.log_errors = False
    if memory is not None:
        options.max_mem = memory
    if latin1:
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeError) as error:
        reason = error.args[0] if error.args else "?"
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
        raise ValueError(f"not an RE2 pattern ({' '.join(text.split())[:80]}): mend it") from None


def found(pattern: str, text: str) -> bool:
    """Tell whether a pattern matches anywhere in a text, which may hold half characters."""
    return compiled(pattern).search(text.encode("utf-8", "replace")) is not None


def together(patterns: Sequence[str]) -> Callable[[str], Sequence[int]]:
    """Return what tells which of many patterns a text matches, case aside: their numbers, sorted.

    Raises:
        ValueError: one of them is "not an RE2 pattern (why): mend it".
    """
    import re2

    if not patterns:
        return lambda text: ()
    options = re2.Options()
    options.log_errors, options.max_mem, options.never_capture = False, 64 << 20, True
    options.case_sensitive = False
    many = re2.Set.SearchSet(options)
    for pattern in patterns:
        try:
            many.Add(pattern)
        except re2.error:
            compiled(pattern)  # says why
            raise
    many.Compile()
    return lambda text: sorted(many.Match(text.encode("utf-8", "replace")) or ())
