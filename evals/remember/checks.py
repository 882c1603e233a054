"""What is told of where the work stands, held against what was really said and recorded.

The text is read as a model would read it; beside the titles of its parts nothing is shared with
what wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from agentctx.evals.remember.results import Told
from agentctx.evals.remember.truth import Said, Truth
from agentctx.memory.hygiene import clean
from agentctx.memory.state.constraints import standing
from agentctx.memory.state.quotes import ANSWERED, CORRECTED, OPEN
from agentctx.memory.state.render import NEXT, WORDS_BUDGET

Count = Callable[[str], int]
Recall = Callable[[str], str]
"""Returns everything that memory tells of an id."""

_BREAKS = re.compile(r"\s+")
_MARKS = str.maketrans("“”", '""')
_LEAST = 80  # characters of a long next action that have to be told
_FENCE = re.compile(r"`{3,}")
_HIDDEN = re.compile(r"\[agentctx: \d+ lines hidden · memory id (\w+)\]")


def judge(
    told: str,
    truth: Truth,
    *,
    count: Count,
    recall: Recall,
    request: str = "",
    redact: Callable[[str], str] = str,
) -> Told:
    """Return what a text tells, and what of it is right.

    Args:
        told: the block, or what else tells where the work stands.
        truth: what was said and recorded.
        count: counts tokens.
        recall: asks memory for an id.
        request: whatever else the model gets, in which the user's messages may stand as well.
        redact: takes secrets out.
    """
    whole = f"{request}\n{told}"
    said = [one for one in truth.said if one.text.strip()]
    missing = [one for one in said if one.text not in whole and redact(one.text) not in whole]
    long = sum(count(one.text) for one in said) > WORDS_BUDGET
    hidden = [one for one in missing if long and _HIDDEN.search(told)]
    lines = [line for one in said for line in standing(redact(one.text))]
    planned = one_line(clean(redact(truth.next_action)))
    following = next_action(told)
    return Told(
        said=len(said),
        kept=len(said) - len(missing),
        lines=len(lines),
        lines_kept=sum(line in whole for line in lines),
        hidden=len(hidden),
        recalled=_recalled(hidden, _HIDDEN.findall(told), recall),
        reopened=tuple(_short(_reopened(told, truth))),
        closed=tuple(_short(_misplaced(told, _of(said, answered=False), ANSWERED))),
        planned=planned,
        next_action=following,
        next_right=_fits(following, planned),
        tokens=count(beside(told, [redact(one.text) for one in said])),
        text=told,
    )


def one_line(text: str) -> str:
    """Return a text on one line."""
    return _BREAKS.sub(" ", text).strip()


def next_action(told: str) -> str:
    """Return the next action that a text tells; "" for none."""
    found = [line for line in bare(told) if line.startswith(NEXT)]
    text = one_line(found[0].removeprefix(NEXT)) if found else ""
    return text[1:-1] if text[:1] == "“" and text[-1:] == "”" else text


def bare(told: str) -> Iterator[str]:
    """Yield the lines that stand outside of fences: what is not the user's own text."""
    fence = ""
    for line in told.split("\n"):
        if not fence and _FENCE.fullmatch(line):
            fence = line
        elif fence:
            fence = "" if line == fence else fence
        else:
            yield line


def listed(told: str, title: str) -> list[str]:
    """Return the items below a title."""
    lines = list(bare(told))
    start = lines.index(title) + 1 if title in lines else len(lines)
    stop = next((n for n in range(start, len(lines)) if not lines[n].startswith("- ")), None)
    return [line.removeprefix("- ").strip("“”") for line in lines[start:stop]]


def beside(told: str, said: Sequence[str]) -> str:
    """Return a text without what is the user's in it: whole messages, or lines of long ones."""
    for text in sorted(said, key=len, reverse=True):
        told = told.replace(f"\n{text}\n", "\n", 1)
    theirs = {line for text in said for line in text.split("\n") if line.strip()}
    kept, fence = list[str](), ""
    for line in told.split("\n"):
        if _FENCE.fullmatch(line) and fence in ("", line):
            fence = "" if fence else line
        elif fence and line in theirs:
            continue
        kept.append(line)
    return "\n".join(kept)


def _fits(told: str, planned: str) -> bool:
    """Tell whether the next action is the planned one, to the letter; a whole script may be cut."""
    told, planned = told.translate(_MARKS), planned.translate(_MARKS)  # inner ones of a quotation
    if told.endswith("…") and len(told) >= _LEAST:
        return planned.startswith(told[:-1].rstrip())
    return told == planned


def _reopened(told: str, truth: Truth) -> Iterator[str]:
    done = {item.casefold() for item in truth.done}
    following = next_action(told).casefold()
    yield from (item for item in listed(told, "Still to do:") if item.casefold() in done)
    yield from (item for item in truth.done if item.casefold() == following)
    yield from _misplaced(told, _of(truth.said, answered=True), OPEN, CORRECTED)


def _of(said: Sequence[Said], *, answered: bool) -> list[Said]:
    """Return the messages of one kind; what was said again after an answer is of neither."""
    others = {one.text for one in said if one.answered != answered}
    return [one for one in said if one.answered == answered and one.text not in others]


def _short(texts: Iterator[str]) -> Iterator[str]:
    return (one_line(text)[:_LEAST] for text in texts)


def _misplaced(told: str, said: Sequence[Said], *titles: str) -> Iterator[str]:
    """Yield the messages that stand below a title that is not theirs."""
    here = {title: _find(told, title) for title in (ANSWERED, OPEN, CORRECTED)}
    for one in said:
        at = told.find(f"\n{one.text}\n")
        above = [(place, title) for title, place in here.items() if 0 <= place < at]
        if at >= 0 and above and max(above)[1] in titles:
            yield one.text


def _find(told: str, title: str) -> int:
    found = re.search(rf"^{re.escape(title)}$", told, re.MULTILINE)
    return found.start() if found else -1


def _recalled(hidden: Sequence[Said], ids: Sequence[str], recall: Recall) -> int:
    """Return how many messages come back whole by one of the ids that are named."""
    back = _unquoted("\n".join(recall(id) for id in ids)) if hidden else ""
    return sum(_unquoted(one.text) in back for one in hidden)


def _unquoted(text: str) -> str:
    return one_line(text.replace("\n> ", "\n"))
