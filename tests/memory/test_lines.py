from __future__ import annotations

from zlib import crc32

from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory.store import lines
from agentctx.memory.store.lines import Line

VALUES = st.dictionaries(
    st.text(max_size=5),
    st.text(st.characters(), max_size=20)
    | st.integers()
    | st.none()
    | st.just({"crc": "1", "x": '{"crc":"'}),
    min_size=1,
    max_size=4,
)


@given(values=st.lists(VALUES, max_size=5))
def test_values_are_read_as_they_were_written(values: list[dict[str, object]]) -> None:
    data = b"".join(map(lines.encode, values))
    assert [line.value for line in lines.scan(data)] == values
    assert data.count(b"\n") == len(values)


@given(
    values=st.lists(VALUES, min_size=1, max_size=4),
    junk=st.binary(max_size=40) | st.just(b"\0" * 20) | st.just(b'{"crc":"'),
    place=st.integers(0, 3),
)
def test_whatever_stands_between_lines_costs_no_line(
    values: list[dict[str, object]], junk: bytes, place: int
) -> None:
    encoded = [lines.encode(value) for value in values]
    encoded.insert(min(place, len(values)), junk)
    found = list(lines.scan(b"".join(encoded)))
    assert [line.value for line in found if line.value is not None] == values


@given(value=VALUES, following=VALUES, share=st.floats(0, 0.999))
def test_half_a_line_is_bad_and_hides_nothing_behind_it(
    value: dict[str, object], following: dict[str, object], share: float
) -> None:
    line = lines.encode(value)
    torn = line[: int(len(line) * share)]
    after = lines.encode(following)
    found = list(lines.scan(torn + after))
    assert found[-1] == Line(len(torn + after), following)
    assert [one.value for one in found[:-1]] == [None] * bool(torn)
    assert [one.value for one in lines.scan(after + torn)] == [following] + [None] * bool(torn)


@given(value=VALUES, place=st.integers(min_value=0), bit=st.integers(0, 7))
def test_no_bit_may_change(value: dict[str, object], place: int, bit: int) -> None:
    line = bytearray(lines.encode(value))
    line[place % len(line)] ^= 1 << bit
    assert lines.decode(bytes(line)) is None


def test_a_right_checksum_over_no_json_is_bad() -> None:
    for rest in (b"\n", b"1}\n", b'"a":' * 9 + b"\n", b'"a":' + b"[" * 10**5 + b"\n"):
        assert lines.decode(b'{"crc":"%08x",%b' % (crc32(rest), rest)) is None
