from __future__ import annotations

import pytest

from agentctx.patterns import compiled


@pytest.mark.parametrize("pattern", ["(", "(?=x)", "(\n\n", "x" * 500 + "(", "\udc80", b"["])
def test_what_is_no_pattern_is_told_in_one_short_line(
    pattern: str | bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=r"^not an RE2 pattern \([^\n]{1,80}\): mend it$"):
        compiled(pattern)
    assert capfd.readouterr() == ("", "")


def test_a_character_is_a_sequence_of_utf_8_or_a_byte() -> None:
    raw = "é".encode()
    assert compiled(b".").search(raw).span() == (0, 2)
    assert compiled(b".", latin1=True).search(raw).span() == (0, 1)


def test_a_pattern_larger_than_its_memory_is_refused() -> None:
    pattern = "(?:abc|def){1000}"
    assert compiled(pattern, memory=64 << 20).search("abc" * 1000)
    with pytest.raises(ValueError, match="too large"):
        compiled(pattern, memory=1 << 12)


def test_compiling_again_gives_the_same_program() -> None:
    assert compiled("a+b") is compiled("a+b")
    assert compiled("a+b") is not compiled("a+b", memory=1 << 22)
