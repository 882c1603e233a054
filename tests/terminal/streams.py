"""Generated terminal output: text, controls and escape sequences that both judge and screen know."""

from __future__ import annotations

from hypothesis import strategies as st


def csi(final: str, *parameters: st.SearchStrategy[int]) -> st.SearchStrategy[str]:
    return st.builds(lambda *values: f"\x1b[{';'.join(map(str, values))}{final}", *parameters)


def stream(*tokens: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.one_of(*tokens), max_size=40).map("".join)


few = st.integers(0, 6)
place = st.integers(1, 8)
narrow = st.sampled_from(["a", "bc", "hello world", "x  ", "   ", "é", "█▉", "0123456789"])
wide = st.sampled_from(["日本", "한", "e\u0301", "✅ ok"])
SILENT = (
    "\x1b[0;31m",
    "\x1b[m",
    "\x1b]0;t\x07",
    "\x1b]8;;u\x1b\\",
    "\x1b[?25l",
    "\x1b(B",
    "\0",
    "\a",
)
silent = st.sampled_from(SILENT)
ends = st.sampled_from(["\n", "\r\n", "\n", "\r"])
back = st.just("\b")
tab = st.just("\t")
cursor = st.one_of(*(csi(final, few) for final in "ABCDEFG"))
to_row = st.one_of(
    csi("d", few), csi("H", st.integers(2, 8), place), csi("f", place, st.integers(2, 8))
)
saved = st.sampled_from(["\x1b7", "\x1b8"])
erase = st.one_of(csi("K", st.integers(0, 2)), csi("X", few))
below = csi("J", st.integers(0, 1))
cells = st.one_of(csi("@", few), csi("P", few), st.sampled_from(["\x1b[4h", "\x1b[4l"]))
rows = st.one_of(csi("L", few), csi("M", few), st.sampled_from(["\x1bD", "\x1bM", "\x0b", "\x0c"]))
region = st.one_of(csi("r", place, place), st.just("\x1b[r"))
clear = st.sampled_from(["\x1b[2J", "\x1b[H\x1b[J", "\x1b[3J", "\x1b[H\x1b[2J\x1b[3J", "\x1b[H"])
alternate = st.sampled_from([f"\x1b[?{mode}{on}" for mode in (47, 1047, 1049) for on in "hl"])

moving = (narrow, wide, silent, ends, ends, back, tab, cursor, to_row, saved, erase, cells)
anything = (*moving, below, rows, region, clear, alternate)
noise = st.text(
    "\x1b\x1b\x1b[[;;?0129AHJKhlmr]P_\\)\x07\n\n\r\t\b\x00\x7f\x9béa日\u0301", max_size=60
)
