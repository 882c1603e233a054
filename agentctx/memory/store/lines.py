"""JSON lines with a checksum; a reader finds its way again after whatever a crash left between them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from zlib import crc32

_OPENING = b'{"crc":"'
_REST = len(_OPENING) + len('01234567",')


class Line(NamedTuple):
    """What was read up to byte `end`; `value` is None where the bytes are no line of ours."""

    end: int
    value: dict[str, Any] | None


def encode(value: Mapping[str, Any]) -> bytes:
    """Return the line of a mapping that is not empty, its newline included."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    rest = text[1:].encode("utf-8", "surrogatepass") + b"\n"
    return b'%b%08x",%b' % (_OPENING, crc32(rest), rest)


def decode(line: bytes) -> dict[str, Any] | None:
    """Return the mapping of a line, None if it is none or its checksum is another."""
    rest = line[_REST:]
    if line[:_REST] != b'%b%08x",' % (_OPENING, crc32(rest)):
        return None
    try:
        value: dict[str, Any] = json.loads(b"{" + rest)
    except (ValueError, RecursionError):  # somebody computed a checksum for it
        return None
    return value


def scan(data: bytes) -> Iterator[Line]:
    """Yield all that stands in `data`, bad pieces and a last line without its end as None."""
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start) + 1 or len(data)
        yield from _found(data, start, stop)
        start = stop


def _found(data: bytes, start: int, stop: int) -> Iterator[Line]:
    at = start
    while 0 <= at < stop:
        value = decode(data[at:stop])
        if value is not None:
            if at > start:
                yield Line(at, None)  # what a writer left that died within its line
            yield Line(stop, value)
            return
        at = data.find(_OPENING, at + 1, stop)
    yield Line(stop, None)
