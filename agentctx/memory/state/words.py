"""The user's words: which messages still count, and which of them have been answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from agentctx.memory.records import Step, StepKind, Word
from agentctx.memory.state.constraints import standing


def fold(words: Sequence[Word], steps: Iterable[Step], finished: bool = False) -> tuple[Word, ...]:
    """Return the user's words after these steps.

    A USER step becomes a word of the same id; an ANSWER answers every word before it. A message
    that a host sends again (after a compaction it repeats its history) is no new one.

    Args:
        words: the words before, in order.
        steps: what came since, in order.
        finished: whether the request ends here. What had been answered is then dropped, unless
            it holds constraints of this session; the rest counts as answered.
    """
    kept = list(words)
    for user, run in groupby(steps, key=lambda step: step.kind is StepKind.USER):
        if user:
            _hear(kept, list(run))
        elif any(step.kind is StepKind.ANSWER for step in run):
            kept = [replace(word, answered=True) for word in kept]
    return _closed(kept) if finished else tuple(kept)


def _hear(kept: list[Word], run: Sequence[Step]) -> None:
    alone = len({step.observation for step in run}) == 1
    for step in run:
        if step.observation.strip() and not _repeats(kept, step, alone):
            kept.append(Word(id=step.id, text=step.observation, session=step.session))


def _repeats(kept: Sequence[Word], step: Step, alone: bool) -> bool:
    """Tell whether a message was only sent again.

    "continue" after an answer is new. The same text amid a request, or among others at once, is
    the host's history: obeying an old message again is worse than missing an echo of it.
    """
    same = [word for word in kept if word.text == step.observation]
    if any(not word.answered or word.id == step.id for word in same):
        return True
    idle = all(word.answered for word in kept)
    return any(word.session == step.session for word in same) and not (alone and idle)


def _closed(kept: Sequence[Word]) -> tuple[Word, ...]:
    session = kept[-1].session if kept else ""
    return tuple(replace(word, answered=True) for word in kept if _lasts(word, session))


def _lasts(word: Word, session: str) -> bool:
    return not word.answered or (word.session == session and bool(standing(word.text)))
