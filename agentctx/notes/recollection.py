"""The block of memory in a request: what it says, where it stands, how it is known again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agentctx.memory.hygiene import CLOSING, OPENING
from agentctx.memory.state import ExecutionState
from agentctx.memory.state.render import BUDGET, WORDS_BUDGET, render
from agentctx.notes.standing import leads
from agentctx.values import Kind, Payload, Slot

if TYPE_CHECKING:
    from agentctx.memory.memory import Memory
    from agentctx.wire import Wire

_OURS = re.compile(
    rf"(?:\A|\n\n)({re.escape(OPENING)}[^\]\n]*\]\n.*\n{re.escape(CLOSING)})\Z", re.DOTALL
)
_NONE_OPEN = re.compile(r"^\(No request is open[^\n]*\)\n?", re.MULTILINE)
_OTHERS = 5  # branches that are named


def recollect(memory: Memory, slots: Sequence[Slot], *, count: Callable[[str], int]) -> str:
    """Return the block for a request, "" when memory has nothing to tell.

    What the user says in the request itself is not said again.

    Args:
        memory: as it was before this request is taken in.
        slots: of the request, without an earlier block.
        count: counts tokens.
    """
    state = memory.state()
    said = [slot.text for slot in slots if slot.kind is Kind.USER and slot.text.strip()]
    known = {word.text for word in state.words}
    news = any(text not in known for text in said)
    told = replace(
        state,
        words=tuple(word for word in state.words if not _stands(word.text, said)),
        overtaken=state.overtaken or (news and bool(state.next_action)),
    )
    if not _tells(told):
        return ""
    opening, more = f"{OPENING}{_where(memory)}]", _more(memory)
    frame = count(f"{opening}\n{more}\n{CLOSING}\n")
    body = render(told, count=count, budget=BUDGET - frame, words_budget=WORDS_BUDGET)
    if len(told.open_words) < len(state.open_words):  # it is open, and stands in the request
        body = _NONE_OPEN.sub("", body).rstrip("\n")
    return "\n".join((opening, body, more, CLOSING))


def part(slots: Sequence[Slot]) -> tuple[tuple[Slot, ...], str]:
    """Return the slots as they were before a block of ours was put there, and that block."""
    kept: list[Slot] = []
    block = ""
    for slot in slots:
        found = _OURS.search(slot.text) if leads(slot) and OPENING in slot.text else None
        if found is None:
            kept.append(slot)
            continue
        block = found[1]
        if found.start():
            kept.append(replace(slot, text=slot.text[: found.start()]))
    return tuple(kept), block


def place(
    module: Wire, payload: Payload, slots: Sequence[Slot], block: str, instead: str
) -> Payload:
    """Return the request with a block behind what the user says before the model's first turn.

    It is the same object when the block stands there already, or there is none.

    Raises:
        WireError: the message is an object of an SDK.
    """
    last = next((slot for slot in reversed(slots) if leads(slot)), None)
    if last is None or block == instead:
        return payload
    return module.append(payload, last.path, block, instead=instead)


def _stands(word: str, said: Sequence[str]) -> bool:
    bare = word.strip()
    return any(bare in text for text in said)


def _tells(state: ExecutionState) -> bool:
    return bool(
        state.words
        or state.done
        or state.ran
        or state.in_flight
        or state.next_action
        or state.blockers
        or state.open_items
        or state.findings
        or state.latest
    )


def _where(memory: Memory) -> str:
    tip = memory.store.tip(memory.current)
    latest = memory.snapshot().latest if tip else None
    return f"{memory.current} @{latest.id}" if latest else memory.current


def _more(memory: Memory) -> str:
    others = [name for name in memory.store.branches() if name != memory.current]
    named = f" Other branches: {', '.join(others[:_OTHERS])}." if others else ""
    left = f" ({len(others) - _OTHERS} more)" if len(others) > _OTHERS else ""
    return f"More: context_recall, context_search.{named}{left}"
