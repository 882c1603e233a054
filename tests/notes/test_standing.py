from __future__ import annotations

import pytest

from agentctx.marks import Place
from agentctx.notes.standing import History, Standing, judge, positions
from agentctx.values import Kind, Slot

CHAIN = tuple(f"p{n}" for n in range(12))


def history(known: int, depth: int, generation: int = 0, **more: bool | int) -> History:
    """A conversation of which the first `known` turns of CHAIN were taken in, and `depth` in all."""
    places = {key: Place(generation, n) for n, key in enumerate(CHAIN[: known + 1])}
    return History(known=places, newest=Place(generation, depth), **more)  # type: ignore[arg-type]


def stands(length: int, told_before: History, *, told: bool = False) -> Standing:
    return judge(CHAIN[: length + 1], told_before, told=told)


def test_a_conversation_begins_once() -> None:
    assert stands(0, History(known={}, newest=None)).first
    assert stands(3, History(known={}, newest=None)).first
    assert not stands(0, history(0, 0)).first


@pytest.mark.parametrize(
    ("what", "length", "before", "told", "epoch"),
    [
        ("the next request", 4, history(3, 3), False, False),
        ("the same again", 3, history(3, 3), False, False),
        ("two turns at once", 5, history(3, 3), False, False),
        ("one step back, another turn", 4, history(3, 9), False, False),
        ("another first turn", 1, history(0, 1), False, False),
        ("another first turn with a call", 1, history(0, 9), False, False),
        ("a summary as the first turn", 1, history(0, 9), True, True),
        ("far fewer turns", 4, history(1, 9), False, True),
        ("a word of the user's is gone", 8, history(1, 9, missing=True), False, True),
        ("one old turn is gone", 9, history(0, 9), False, False),
        ("one old turn is gone, again and again", 9, history(0, 9, steps=10), False, True),
        ("a new conversation", 0, history(-1, 9), False, True),
        ("another beginning, fewer turns", 3, history(-1, 9), False, True),
        ("another beginning, all turns", 9, history(-1, 9), False, False),
        ("a summary, and all turns", 9, history(-1, 9, summed=True), False, True),
    ],
)
def test_an_epoch_is_told_from_what_merely_goes_on(
    what: str, length: int, before: History, told: bool, epoch: bool
) -> None:
    found = stands(length, before, told=told)
    assert found.epoch is epoch, what
    assert found.generation == int(epoch)


def test_what_goes_on_from_an_old_generation_stays_there() -> None:
    places = {key: Place(0, n) for n, key in enumerate(CHAIN[:5])}
    found = stands(5, History(known=places, newest=Place(3, 2)))
    assert (found.generation, found.epoch) == (0, False)


def test_positions_ignore_how_a_history_is_spelled() -> None:
    def slot(kind: Kind, text: str, turn: int) -> Slot:
        return Slot(path=("x",), kind=kind, text=text, turn=turn)

    said = [slot(Kind.USER, "a", 0), slot(Kind.ASSISTANT, "b", 1)]
    odd = [slot(Kind.SYSTEM, "s", 0), said[0], slot(Kind.REASONING, "r", 1), said[1]]
    assert positions(said) == positions(odd)
    assert positions(said)[0] != positions([slot(Kind.USER, "c", 0)])[0]
    assert positions(said, "resp_1")[0] != positions(said)[0]
