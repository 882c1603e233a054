"""`agentctx expand`: an original, byte for byte."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

from agentctx import config
from agentctx.cli.output import print_json
from agentctx.errors import UnknownHandle
from agentctx.events import EXPAND
from agentctx.evolve.feedback import Feedback
from agentctx.patterns import Pattern
from agentctx.stores import Stores

_ESCAPED = re.compile(rb"\xed([\xb2\xb3])([\x80-\xbf])")
"""How a byte that is no UTF-8 stands in the archive: as the lone surrogate that it was read as."""


def show(handle: str, span: tuple[int, int], pattern: Pattern | None, *, as_json: bool) -> int:
    """Print lines of the original of a handle; return 1 if there are none.

    Args:
        handle: what a marker says.
        span: first and last line, counted from 1, inclusive.
        pattern: an RE2 program that the lines must match, or None; their numbers are then shown.
        as_json: print one JSON object.

    Raises:
        ArchiveError: there is no such original, or it cannot be read.
    """
    stores = Stores(config.load())
    try:
        name = stores.resolve(handle)
    except UnknownHandle as error:
        raise UnknownHandle(f"{error}; looked in {stores.settings.data}") from error
    size, command = stores.archive.size(name), stores.archive.command(name)
    lines = _lines(stores, name, span, pattern)
    if as_json:
        found = [{"number": n, "text": line.decode("utf-8", "replace")} for n, line in lines]
        print_json({"id": name, "command": command, "bytes": size, "lines": found})
    else:
        found = _print(lines, numbered=pattern is not None)
    stores.tell(EXPAND, "", handle=handle)
    Feedback(stores).expanded(handle, name, span, pattern)
    if found or not size:
        return 0
    sys.stderr.write(f"agentctx expand: {handle} has no such lines: leave out --lines or --grep\n")
    return 1


def _print(lines: Iterator[tuple[int, bytes]], *, numbered: bool) -> Any:
    number = 0
    for number, line in lines:
        sys.stdout.buffer.write(b"%d:%b" % (number, line) if numbered else line)
    sys.stdout.buffer.flush()
    return number


def _lines(
    stores: Stores, name: str, span: tuple[int, int], pattern: Pattern | None
) -> Iterator[tuple[int, bytes]]:
    for number, raw in enumerate(stores.archive.lines(name, *span), span[0]):
        text = raw.decode("utf-8", "replace").rstrip("\n")
        if pattern is None or pattern.search(text):
            yield number, _ESCAPED.sub(_byte, raw)


def _byte(found: re.Match[bytes]) -> bytes:
    return found.group().decode("utf-8", "surrogatepass").encode("utf-8", "surrogateescape")
