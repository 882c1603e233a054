"""The first and last lines of recalled text: what it is, how to go on, where it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agentctx.memory.hygiene import CLOSING, OPENING, defused
from agentctx.memory.recall import cursor
from agentctx.memory.recall.cursor import Point
from agentctx.memory.recall.window import Window
from agentctx.memory.records import Recall
from agentctx.values import Trust

_SAMPLE = Point("1m8qvg40m6er6jsj", 99, 9_999)
_ROOM = 12  # tokens that a frame leaves at least to what it surrounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What surrounds a window.

    `arguments` are those of the next request, beside its cursor. `scrolls` when one can go on both
    ways; `up` when that request leads to what is earlier.
    """

    level: str
    branch: str
    id: str
    arguments: str
    scrolls: bool = False
    up: bool = False

    def next(self, window: Window) -> str:
        """Return the cursor to go on with, "" where there is no more."""
        point = window.before if self.up else window.after
        return "" if point is None else self._cursor(point, newer=not self.up)

    def text(self, window: Window, brevity: int) -> str:
        """Return the whole answer; the more brevity (0-2), the less of it is frame."""
        ways = [f"[{way}]" for way in self._ways(window, brevity)]
        return "\n".join([self._opening(brevity), *window.rows, *map(defused, ways), CLOSING])

    def _opening(self, brevity: int) -> str:
        where = f" {self.branch}" * bool(self.branch) + f" @{self.id}" * bool(self.id)
        return f"{OPENING}{self.level}{'' if brevity else where}]"

    def _ways(self, window: Window, brevity: int) -> Iterator[str]:
        """Yield how to go on; the way that this answer came last."""
        back = window.after if self.up else window.before
        if self.scrolls and back is not None and brevity == 0:
            yield f"{'newer' if self.up else 'older'}: cursor={self._cursor(back, newer=self.up)}"
        if onward := self.next(window):
            word = ("older" if self.up else "newer") if self.scrolls else "more"
            named = f"{self.arguments} cursor={onward}" if brevity == 0 else f"cursor={onward}"
            yield f"{word}: {named}" if brevity < 2 else word

    def _cursor(self, point: Point, *, newer: bool) -> str:
        return cursor.write(self.level, point, newer=newer and self.scrolls)


def framed(
    page: Callable[[int], Window], frame: Frame, count: Callable[[str], int], budget: int
) -> Recall:
    """Return the answer: a frame around as large a page as fits.

    Args:
        page: makes the window of so many tokens.
        frame: what surrounds it.
        count: counts tokens.
        budget: tokens of the whole.
    """
    brevity, size = _fitting(frame, count, budget)
    while True:
        window = page(size)
        text = frame.text(window, brevity)
        over = (tokens := count(text)) - budget
        if over <= 0 or (size == 1 and brevity == 2):
            break
        size, brevity = (max(1, size - over), brevity) if size > 1 else (_ROOM, brevity + 1)
    return Recall(
        text=text,
        level=frame.level,
        tokens=tokens,
        cursor=frame.next(window),
        ids=window.ids,
        trust=window.trust,
    )


def _fitting(frame: Frame, count: Callable[[str], int], budget: int) -> tuple[int, int]:
    """Return how brief the frame has to be, and the tokens that it leaves."""
    sample = Window(rows=(), before=_SAMPLE, after=_SAMPLE, ids=(), trust=Trust.SYSTEM)
    for brevity in (0, 1, 2):
        left = budget - count(f"{frame.text(sample, brevity)}\n")
        if left >= max(_ROOM, budget // 4):
            return brevity, left
    return 2, max(1, left)
